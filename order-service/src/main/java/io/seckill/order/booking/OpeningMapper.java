package io.seckill.order.booking;

import io.seckill.contracts.Reservation;

import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code shard_opening}: stock-service's, read only. */
@Mapper
interface OpeningMapper {

    /**
     * An opening later than the reservation did not keep its unit. That stays so; false stays so
     * only while the ledger keeps its epoch. A locking read: whoever has locked the ledger sees
     * every opening up to the ledger's epoch, whatever the isolation.
     */
    @Select("""
            SELECT COUNT(*) > 0 FROM shard_opening
            WHERE product_id = #{productId} AND shard = #{shard} AND epoch > #{epoch}
                AND kept_seq < #{seq}
            LOCK IN SHARE MODE""")
    boolean lost(Reservation reservation);
}
