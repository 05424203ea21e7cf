package io.seckill.order.query;

import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** Orders as their buyer sees them; every query names the user. */
@Mapper
interface OrderViewMapper {

    String VIEW = """
            SELECT o.order_sn, o.product_id, s.name, o.quantity,
                o.price_cents * o.quantity AS amount_cents, o.status, o.reason, o.created_at_ms,
                o.pay_by_ms, p.paid_at_ms, r.refunded_at_ms
            FROM orders o
            LEFT JOIN sale s ON s.product_id = o.product_id
            LEFT JOIN payment p ON p.order_sn = o.order_sn
            LEFT JOIN refund r ON r.order_sn = o.order_sn
            WHERE o.user_id = #{userId} AND\s""";

    /** Along the index by user and time, which has the order's number in its entries. */
    @Select(VIEW + """
            o.created_at_ms <= #{beforeMs}
                AND (o.created_at_ms < #{beforeMs} OR o.order_sn < #{beforeSn})
                AND o.status <> 'REJECTED'
            ORDER BY o.created_at_ms DESC, o.order_sn DESC LIMIT #{limit}""")
    List<OrderView.Row> page(String userId, long beforeMs, String beforeSn, int limit);

    @Select(VIEW + "o.order_sn = #{orderSn}")
    Optional<OrderView.Row> find(String orderSn, String userId);
}
