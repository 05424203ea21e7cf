package io.seckill.stock.returns;

import io.seckill.contracts.StockReturn;
import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code stock_return} and this service's rows of {@code parked_message}. */
@Mapper
interface ReturnMapper {

    @Select("SELECT COUNT(*) > 0 FROM stock_return WHERE reservation_id = #{reservationId}")
    boolean isKnown(String reservationId);

    /** Returns that wait for this shard, the longest unasked first. */
    @Select("""
            SELECT reservation_id, product_id, user_id, quantity, shard, epoch, action, cause
            FROM stock_return WHERE outcome = 'WAITING' AND shard = #{shard}
            ORDER BY asked_at_ms LIMIT #{max}""")
    List<StockReturn> waiting(int shard, int max);

    /**
     * The first final outcome stays: a repetition says ALREADY_DONE and tells less. Nothing is
     * written of a sale that is gone, and none can go between the look and the row.
     */
    @Insert("""
            INSERT INTO stock_return (reservation_id, product_id, user_id, quantity, shard, epoch,
              action, cause, outcome, asked_at_ms)
            SELECT #{r.reservationId}, #{r.productId}, #{r.userId}, #{r.quantity}, #{r.shard},
              #{r.epoch}, #{r.action}, LEFT(#{r.cause}, 32), #{outcome}, #{atMs}
            FROM sale WHERE product_id = #{r.productId}
            ON DUPLICATE KEY UPDATE
              asked_at_ms = IF(outcome = 'WAITING', VALUES(asked_at_ms), asked_at_ms),
              outcome = IF(outcome = 'WAITING', VALUES(outcome), outcome)""")
    void put(StockReturn r, String outcome, long atMs);

    /** A body of any size: a message that cannot be kept would come again for ever. */
    @Insert("""
            INSERT INTO parked_message (service, topic, message_id, body, reason, parked_at_ms)
            VALUES ('stock-service', #{topic}, #{messageId}, LEFT(#{body}, 16000),
              LEFT(#{reason}, 200), #{atMs})
            ON DUPLICATE KEY UPDATE message_id = message_id""")
    void park(String topic, String messageId, String body, String reason, long atMs);

    /** Throws when the database is away. */
    @Select("SELECT 1")
    int ping();
}
