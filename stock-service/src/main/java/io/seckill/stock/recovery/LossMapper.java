package io.seckill.stock.recovery;

import io.seckill.stock.recovery.Losses.Loss;

import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Update;

/** The state of {@code shard_ledger}. */
@Mapper
interface LossMapper {

    /** False: it is open in another epoch, or not open. */
    @Update("""
            UPDATE shard_ledger SET state = 'RECOVERING'
            WHERE product_id = #{productId} AND shard = #{shard} AND epoch = #{epoch}
              AND state = 'OPEN'""")
    boolean recover(Loss loss);
}
