package io.seckill.order.relay;

import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * The table {@code outbox}: a row per decision and repetition, deleted once the broker has it.
 * Plain JDBC, for its statements are as long as a batch and MyBatis evaluates an expression per
 * value.
 */
@Component
final class OutboxRows {

    private static final String INSERT =
            "INSERT INTO outbox (topic, message_key, body, created_at_ms) VALUES (?, ?, ?, ?)";
    private static final String OLDEST = "SELECT id, topic, message_key, body FROM outbox"
            + " ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED";

    private static final String DELETE = "DELETE outbox"
            + " FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS sent"
            + " STRAIGHT_JOIN outbox ON outbox.id = sent.id";

    private final JdbcTemplate sql;

    OutboxRows(JdbcTemplate sql) {
        this.sql = sql;
    }

    /** A message as it will be sent. */
    record Row(long id, String topic, String messageKey, String body) {}

    /** All (at least one) in one statement: the driver's bulk insert. */
    void insert(String topic, Collection<Outgoing> messages, long nowMs) {
        sql.batchUpdate(INSERT, messages, messages.size(), (row, message) -> {
            row.setString(1, topic);
            row.setString(2, message.key());
            row.setString(3, message.body());
            row.setLong(4, nowMs);
        });
    }

    /** The oldest that no other transaction has locked, locked until this one ends. */
    List<Row> lockOldest(int limit) {
        return sql.query(
                OLDEST,
                (row, n) -> new Row(
                        row.getLong(1), row.getString(2), row.getString(3), row.getString(4)),
                limit);
    }

    /**
     * At least one, each looked up by its key, in one statement: deleted one by one, rows cost the
     * database half as much again. A mere list of ids is read by a scan where it is most of the
     * table, which waits for rows that another relay has locked, and that one for these.
     */
    void delete(Collection<Long> ids) {
        sql.update(DELETE, Json.write(ids));
    }
}
