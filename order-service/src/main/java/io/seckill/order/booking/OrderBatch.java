package io.seckill.order.booking;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Statements on {@code orders} that are as long as a batch: plain JDBC, for MyBatis evaluates an
 * expression per value.
 */
@Component
final class OrderBatch {

    private static final String INSERT = """
            INSERT INTO orders (order_sn, reservation_id, product_id, user_id, shard, epoch, seq,
                quantity, price_cents, status, reason, reserved_at_ms, created_at_ms, pay_by_ms,
                closed_at_ms, final_epoch)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String KNOWN = "SELECT reservation_id FROM orders WHERE reservation_id IN";

    static final String BUYERS = "SELECT product_id, ended_user FROM orders"
            + " FORCE INDEX (by_end) WHERE reason = ? AND ended_user IN";

    private final JdbcTemplate sql;

    OrderBatch(JdbcTemplate sql) {
        this.sql = sql;
    }

    /**
     * All in one statement (the driver's bulk insert), each unpaid or rejected. Throws when the
     * database refuses one of them; what it wrote before that one is for the caller to roll back.
     */
    void insert(List<Order> batch) {
        sql.batchUpdate(INSERT, batch, batch.size(), OrderBatch::set);
    }

    private static void set(PreparedStatement row, Order order) throws SQLException {
        row.setString(1, order.orderSn());
        row.setString(2, order.reservationId());
        row.setString(3, order.productId());
        row.setString(4, order.userId());
        row.setInt(5, order.shard());
        row.setInt(6, order.epoch());
        row.setLong(7, order.seq());
        row.setInt(8, order.quantity());
        row.setLong(9, order.priceCents());
        row.setString(10, order.status().name());
        row.setString(11, order.reason() == null ? null : order.reason().name());
        row.setLong(12, order.reservedAtMs());
        row.setLong(13, order.createdAtMs());
        row.setLong(14, order.payByMs());
        row.setObject(15, order.closedAtMs(), Types.BIGINT);
        row.setObject(16, order.finalEpoch(), Types.INTEGER);
    }

    /** Which of these (at least one) have a row: read from their index alone. */
    Set<String> known(Collection<String> reservationIds) {
        String in = String.join(",", Collections.nCopies(reservationIds.size(), "?"));
        return new HashSet<>(
                sql.queryForList(KNOWN + " (" + in + ")", String.class, reservationIds.toArray()));
    }

    /**
     * Which of these users (at least one) have so many orders (at least one) of a product that
     * ended so, as {@link #buyer}: read from their index alone.
     */
    Set<String> buyers(Reason why, long orderCount, Collection<String> userIds) {
        String in = String.join(",", Collections.nCopies(userIds.size(), "?"));
        List<Object> values = new ArrayList<>(List.of(why.name()));
        values.addAll(userIds);
        values.add(orderCount);
        return new HashSet<>(sql.query(
                BUYERS + " (" + in + ") GROUP BY ended_user, product_id HAVING COUNT(*) >= ?",
                (row, n) -> buyer(row.getString(1), row.getString(2)),
                values.toArray()));
    }

    static String buyer(String productId, String userId) {
        return productId + " " + userId;
    }
}
