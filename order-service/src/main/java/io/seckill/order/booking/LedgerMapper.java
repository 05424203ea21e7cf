package io.seckill.order.booking;

import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/**
 * {@code shard_ledger.sold}: units of live orders, the last guard against selling a unit twice; and
 * {@code last_seq}, the highest stamp of its shard that has met the ledger.
 */
@Mapper
public interface LedgerMapper {

    /**
     * False: the shard has not that much left, also when only some of several orders would fit; or
     * it was given nothing at all, or another epoch has begun. At least one unit.
     */
    @Update("""
            UPDATE shard_ledger SET sold = sold + #{quantity},
                last_seq = GREATEST(last_seq, #{seq})
            WHERE product_id = #{productId} AND shard = #{shard} AND epoch = #{epoch}
                AND sold + #{quantity} <= allocated""")
    boolean take(Units units);

    /** Reservations that become no order have met the ledger all the same. */
    @Update("""
            UPDATE shard_ledger SET last_seq = GREATEST(last_seq, #{seq})
            WHERE product_id = #{productId} AND shard = #{shard}""")
    void pass(Units units);

    /** The table's own check refuses to go below zero. */
    @Update("""
            UPDATE shard_ledger SET sold = sold - #{quantity}
            WHERE product_id = #{productId} AND shard = #{shard}""")
    void giveBack(String productId, int shard, long quantity);

    /** The shard sold what it did not have and is rebuilt. False: its ledger was not open. */
    @Update("""
            UPDATE shard_ledger SET state = 'RECOVERING'
            WHERE product_id = #{productId} AND shard = #{shard} AND state = 'OPEN'""")
    boolean distrust(Order order);

    /** The shard, or none: another transaction has the row right now, or it is gone. Never waits. */
    @Select("""
            SELECT shard FROM shard_ledger
            WHERE product_id = #{productId} AND shard = #{shard}
            LOCK IN SHARE MODE SKIP LOCKED""")
    List<Integer> free(String productId, int shard);

    /** Whether there is such a row, whoever has it. Never waits. */
    @Select("""
            SELECT COUNT(*) > 0 FROM shard_ledger
            WHERE product_id = #{productId} AND shard = #{shard}""")
    boolean exists(String productId, int shard);

    /** The epoch of the shard's ledger, which stays so until this transaction ends. */
    @Select("""
            SELECT epoch FROM shard_ledger
            WHERE product_id = #{productId} AND shard = #{shard} FOR UPDATE""")
    int lockEpoch(String productId, int shard);
}
