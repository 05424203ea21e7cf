package io.seckill.stock.recovery;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.stereotype.Component;

/**
 * One instance recovers at a time, by a lock of the database that dies with its connection.
 *
 * <p>Nothing relies on it: two that recover the same shard get in each other's way, and one of them
 * has the later epoch. It keeps them from that. An instance that is stopped while it holds the lock
 * loses it with its connection, which the database cuts after {@link #SILENCE_S}.
 */
@Component
final class RecoveryLock {

    private static final int SILENCE_S = 60;
    private static final String NAME = "CONCAT(DATABASE(), '.recovery')";

    private final DataSource database;

    RecoveryLock(DataSource database) {
        this.database = database;
    }

    /** Does it unless another instance is at it: false. */
    boolean whileMine(Runnable task) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            boolean isMine = isTrue(statement, "SELECT GET_LOCK(" + NAME + ", 0)");
            if (isMine) {
                try {
                    statement.execute("SET SESSION wait_timeout = " + SILENCE_S);
                    task.run();
                } finally {
                    statement.execute("SET SESSION wait_timeout = DEFAULT");
                    isTrue(statement, "SELECT RELEASE_LOCK(" + NAME + ")");
                }
            }
            return isMine;
        } catch (SQLException e) {
            throw new TransientDataAccessResourceException("the lock of recovery", e);
        }
    }

    private static boolean isTrue(Statement statement, String question) throws SQLException {
        try (ResultSet answer = statement.executeQuery(question)) {
            return answer.next() && answer.getBoolean(1);
        }
    }
}
