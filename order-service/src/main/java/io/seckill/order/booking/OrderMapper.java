package io.seckill.order.booking;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/**
 * The table {@code orders}. Every change is one conditional statement that says whether it was
 * made; nothing is read first to decide a write.
 */
@Mapper
public interface OrderMapper {

    String ORDER = """
            SELECT order_sn, reservation_id, product_id, user_id, shard, epoch, seq,
                quantity, price_cents, status, reason, reserved_at_ms, created_at_ms, pay_by_ms,
                closed_at_ms, final_epoch
            FROM orders WHERE\s""";

    /**
     * False: one of the unique keys is taken (number, reservation or the user's live order) and
     * nothing changed. Needs useAffectedRows, without which an untouched row counts as one.
     */
    @Insert("""
            INSERT INTO orders (order_sn, reservation_id, product_id, user_id, shard, epoch,
                seq, quantity, price_cents, status, reason, reserved_at_ms, created_at_ms,
                pay_by_ms, closed_at_ms, final_epoch)
            VALUES (#{orderSn}, #{reservationId}, #{productId}, #{userId}, #{shard}, #{epoch},
                #{seq}, #{quantity}, #{priceCents}, #{status}, #{reason}, #{reservedAtMs},
                #{createdAtMs}, #{payByMs}, #{closedAtMs}, #{finalEpoch})
            ON DUPLICATE KEY UPDATE order_sn = order_sn""")
    boolean insert(Order order);

    @Update("""
            UPDATE orders SET status = 'PAID'
            WHERE order_sn = #{orderSn} AND status = 'UNPAID' AND pay_by_ms > #{nowMs}""")
    boolean markPaid(String orderSn, long nowMs);

    /** The rows these reservations have become so far. */
    @Select("<script>" + ORDER + """
            reservation_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    List<Order> ofReservations(Collection<String> ids);

    @Select("SELECT COUNT(*) FROM orders WHERE product_id = #{productId} AND live_user = #{userId}")
    boolean holdsLive(String productId, String userId);

    @Select(ORDER + "order_sn = #{orderSn} AND user_id = #{userId}")
    Optional<Order> find(String orderSn, String userId);

    /** Unpaid orders past their time, the oldest first, from where a page before ended. */
    @Select(ORDER + """
            status = 'UNPAID' AND pay_by_ms BETWEEN #{afterMs} AND #{nowMs}
                AND (pay_by_ms > #{afterMs} OR order_sn > #{afterSn})
            ORDER BY pay_by_ms, order_sn LIMIT #{limit}""")
    List<Order> due(long nowMs, long afterMs, String afterSn, int limit);
}
