package io.seckill.stock.returns;

import io.seckill.contracts.StockReturn;
import io.seckill.shard.ReturnOutcome;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code stock_return} and this service's rows of {@code parked_message}. */
@Mapper
interface ReturnMapper {

    @Select("SELECT COUNT(*) > 0 FROM stock_return WHERE reservation_id = #{reservationId}")
    boolean isDone(String reservationId);

    /** The first outcome stays: a repetition says ALREADY_DONE and tells less. */
    @Insert("""
            INSERT INTO stock_return (reservation_id, product_id, shard, quantity, action, cause,
              outcome, done_at_ms)
            VALUES (#{r.reservationId}, #{r.productId}, #{r.shard}, #{r.quantity}, #{r.action},
              LEFT(#{r.cause}, 32), #{outcome}, #{atMs})
            ON DUPLICATE KEY UPDATE reservation_id = reservation_id""")
    void done(StockReturn r, ReturnOutcome outcome, long atMs);

    @Insert("""
            INSERT INTO parked_message (service, topic, message_id, body, reason, parked_at_ms)
            VALUES ('stock-service', #{topic}, #{messageId}, #{body}, LEFT(#{reason}, 200), #{atMs})
            ON DUPLICATE KEY UPDATE message_id = message_id""")
    void park(String topic, String messageId, String body, String reason, long atMs);
}
