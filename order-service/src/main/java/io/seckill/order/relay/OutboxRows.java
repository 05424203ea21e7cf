package io.seckill.order.relay;

import static java.util.stream.Collectors.joining;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * The table {@code outbox}: a row for up to {@link MessageSender#MAX_BATCH} messages that were
 * decided together, a line each, deleted once the broker has them all. Plain JDBC, for its
 * statements are as long as a batch and MyBatis evaluates an expression per value.
 */
@Component
final class OutboxRows {

    private static final String INSERT =
            "INSERT INTO outbox (topic, message_count, messages, created_at_ms)"
                    + " VALUES (?, ?, ?, ?)";
    private static final String OLDEST = "SELECT id, topic, messages FROM outbox"
            + " ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED";

    private static final String DELETE = "DELETE outbox"
            + " FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS sent"
            + " STRAIGHT_JOIN outbox ON outbox.id = sent.id";

    private final JdbcTemplate sql;

    OutboxRows(JdbcTemplate sql) {
        this.sql = sql;
    }

    /** Messages as they will be sent. */
    record Row(long id, String topic, List<Outgoing> messages) {}

    /** All (at least one) in one statement: the driver's bulk insert. */
    void insert(String topic, List<Outgoing> messages, long nowMs) {
        List<List<Outgoing>> rows = rows(messages);
        sql.batchUpdate(INSERT, rows, rows.size(), (row, part) -> {
            row.setString(1, topic);
            row.setInt(2, part.size());
            row.setString(3, lines(part));
            row.setLong(4, nowMs);
        });
    }

    private static List<List<Outgoing>> rows(List<Outgoing> messages) {
        List<List<Outgoing>> to = new ArrayList<>();
        for (int from = 0; from < messages.size(); from += MessageSender.MAX_BATCH) {
            int end = Math.min(from + MessageSender.MAX_BATCH, messages.size());
            to.add(messages.subList(from, end));
        }
        return to;
    }

    /** The end of a line is in no key, and escaped in JSON. */
    private static String lines(List<Outgoing> messages) {
        return messages.stream()
                .map(message -> message.key() + ' ' + message.body())
                .collect(joining("\n"));
    }

    private static Outgoing message(String line) {
        int space = line.indexOf(' ');
        return new Outgoing(line.substring(0, space), line.substring(space + 1));
    }

    /** The oldest that no other transaction has locked, locked until this one ends. */
    List<Row> lockOldest(int limit) {
        return sql.query(
                OLDEST,
                (row, n) -> new Row(
                        row.getLong(1),
                        row.getString(2),
                        row.getString(3).lines().map(OutboxRows::message).toList()),
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
