package io.seckill.stock.returns;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.Ended;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.jspecify.annotations.Nullable;

/** The table {@code stock_return} and this service's rows of {@code parked_message}. */
@Mapper
interface ReturnMapper {

    /** Which of these (at least one) have a row. */
    @Select("""
            <script>SELECT reservation_id FROM stock_return WHERE reservation_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    Set<String> known(Collection<String> ids);

    /** An order that ended, as order-service wrote it. */
    record EndedOrder(
            String userId,
            String reservationId,
            long reservedAtMs,
            OrderEvent.Status status,
            @Nullable String orderSn,
            String reason) {

        Ended ended() {
            return new Ended(reservationId, reservedAtMs, status, orderSn, reason);
        }
    }

    /** Those of these (at least one) that have. */
    @Select("""
            <script>SELECT user_id, reservation_id, reserved_at_ms,
              IF(status = 'REJECTED', status, 'CANCELLED') AS status,
              IF(status = 'REJECTED', NULL, order_sn) AS order_sn, reason
            FROM orders WHERE live_user IS NULL AND reason IS NOT NULL AND reservation_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    List<EndedOrder> ended(Collection<String> ids);

    /** Returns of one product that wait for one shard. */
    record Line(String productId, int shard) {}

    @Select("SELECT DISTINCT product_id, shard FROM stock_return WHERE outcome = 'WAITING'")
    List<Line> lines();

    /** The longest unasked first. */
    @Select("""
            SELECT reservation_id, product_id, user_id, quantity, shard, epoch, action, cause
            FROM stock_return WHERE outcome = 'WAITING'
              AND product_id = #{line.productId} AND shard = #{line.shard}
            ORDER BY asked_at_ms LIMIT #{max}""")
    List<StockReturn> waiting(Line line, int max);

    /**
     * All in one statement. The first final outcome stays: a repetition says ALREADY_DONE and tells
     * less. Nothing is written of a sale that is gone, and none can go between the look and the
     * row.
     *
     * @param answers a JSON list of {@link Answer}
     */
    @Insert("""
            INSERT INTO stock_return (reservation_id, product_id, user_id, quantity, shard, epoch,
              action, cause, outcome, answered_epoch, asked_at_ms)
            SELECT a.id, product_id, a.user_id, a.quantity, a.shard, a.epoch,
              a.action, LEFT(a.cause, 32), a.outcome, a.answered_epoch, #{atMs}
            FROM JSON_TABLE(#{answers}, '$[*]' COLUMNS (
              id CHAR(32) CHARACTER SET ascii PATH '$.r.reservationId',
              product_id VARCHAR(18) CHARACTER SET ascii COLLATE ascii_bin PATH '$.r.productId',
              user_id VARCHAR(64) CHARACTER SET ascii PATH '$.r.userId',
              quantity INT PATH '$.r.quantity',
              shard INT PATH '$.r.shard',
              epoch INT PATH '$.r.epoch',
              action VARCHAR(6) PATH '$.r.action',
              cause TEXT PATH '$.r.cause',
              outcome VARCHAR(16) PATH '$.outcome',
              answered_epoch INT PATH '$.epoch')) a
            STRAIGHT_JOIN sale USING (product_id)
            ON DUPLICATE KEY UPDATE
              asked_at_ms = IF(stock_return.outcome = 'WAITING', VALUES(asked_at_ms), asked_at_ms),
              answered_epoch = IF(stock_return.outcome = 'WAITING', VALUES(answered_epoch),
                stock_return.answered_epoch),
              outcome = IF(stock_return.outcome = 'WAITING', VALUES(outcome),
                stock_return.outcome)""")
    void put(String answers, long atMs);

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
