package io.seckill.order;

import org.springframework.jdbc.core.JdbcTemplate;

/** The relay deletes what it sent; the table {@code outbox_log} keeps what was decided. */
public final class OutboxLog {

    private OutboxLog() {}

    /** From now on a row for each message of a committed transaction, in the order they had. */
    public static void keep(JdbcTemplate sql) {
        sql.execute("""
                CREATE TABLE IF NOT EXISTS outbox_log (
                    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(64) NOT NULL,
                    message_key CHAR(32) NOT NULL, body TEXT NOT NULL)""");
        sql.execute("""
                CREATE TRIGGER IF NOT EXISTS log_outbox AFTER INSERT ON outbox FOR EACH ROW
                INSERT INTO outbox_log (topic, message_key, body)
                SELECT NEW.topic, LEFT(line, 32), SUBSTRING(line, 34)
                FROM JSON_TABLE(
                    CONCAT('[', REPLACE(JSON_QUOTE(NEW.messages), '\\\\n', '","'), ']'),
                    '$[*]' COLUMNS (n FOR ORDINALITY, line TEXT PATH '$')) AS message
                ORDER BY n""");
    }
}
