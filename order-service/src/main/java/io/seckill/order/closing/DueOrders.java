package io.seckill.order.closing;

import io.seckill.order.booking.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Statements on unpaid orders that are as long as a batch: plain JDBC, for MyBatis evaluates an
 * expression per value. Each goes by the primary key, whatever the optimizer thinks of a scan: that
 * would wait for rows that are none of the batch.
 */
@Component
final class DueOrders {

    private static final String LOCK = "SELECT order_sn FROM orders FORCE INDEX (PRIMARY)"
            + " WHERE status = 'UNPAID' AND pay_by_ms <= ? AND order_sn IN (%s) FOR UPDATE";

    private static final String CANCEL = "UPDATE orders FORCE INDEX (PRIMARY)"
            + " SET status = 'CANCELLED', reason = ?, closed_at_ms = ?, final_epoch = ?"
            + " WHERE status = 'UNPAID' AND order_sn IN (%s)";

    private final JdbcTemplate sql;

    DueOrders(JdbcTemplate sql) {
        this.sql = sql;
    }

    /** What becomes of an order that somebody else has locked. */
    enum Locked {
        WAITED_FOR,
        PASSED
    }

    /** Which of these (at least one) may be closed: locked until the transaction ends. */
    Set<String> lock(Collection<String> numbers, long nowMs, Locked locked) {
        List<Object> values = new ArrayList<>(List.of(nowMs));
        values.addAll(numbers);
        String query =
                LOCK.formatted(places(numbers)) + (locked == Locked.PASSED ? " SKIP LOCKED" : "");
        return new HashSet<>(sql.queryForList(query, String.class, values.toArray()));
    }

    /** All of these (at least one), which the caller has locked. */
    void cancel(Collection<String> numbers, Reason why, long nowMs, int ledgerEpoch) {
        List<Object> values = new ArrayList<>(List.of(why.name(), nowMs, ledgerEpoch));
        values.addAll(numbers);
        sql.update(CANCEL.formatted(places(numbers)), values.toArray());
    }

    private static String places(Collection<String> numbers) {
        return String.join(",", Collections.nCopies(numbers.size(), "?"));
    }
}
