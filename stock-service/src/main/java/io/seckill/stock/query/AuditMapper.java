package io.seckill.stock.query;

import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** What the audit reads of order-service's tables; it writes nothing. */
@Mapper
interface AuditMapper {

    /** Without those that are being removed: their books end before they do. */
    @Select(
            "SELECT product_id FROM sale WHERE state <> 'REMOVING' ORDER BY CAST(product_id AS UNSIGNED)")
    List<String> productIds();

    @Select("""
            SELECT reservation_id, user_id, shard, quantity FROM orders
            WHERE product_id = #{productId} AND status IN ('UNPAID', 'PAID')
            ORDER BY reservation_id""")
    List<LiveOrder> liveOrders(String productId);

    /**
     * Closed orders whose return has not come yet (a lost reservation owes none), and returns that
     * wait for their shard.
     */
    @Select("""
            SELECT (SELECT COUNT(*) FROM orders o
                LEFT JOIN stock_return r ON r.reservation_id = o.reservation_id
                WHERE o.product_id = #{productId} AND o.status NOT IN ('UNPAID', 'PAID')
                  AND NOT o.reason <=> 'LOST' AND r.reservation_id IS NULL)
              + (SELECT COUNT(*) FROM stock_return
                WHERE product_id = #{productId} AND outcome = 'WAITING')""")
    long returnsNotDone(String productId);

    @Select("SELECT COALESCE(SUM(message_count), 0) FROM outbox")
    long orderOutbox();
}
