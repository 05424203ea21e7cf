package io.seckill.load.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One connection to the copy's database, as the services come in. */
public final class Database implements AutoCloseable {

    private static final String LANDED = "SELECT COALESCE(SUM(sold), 0) FROM shard_ledger";
    private static final String REJECTED =
            "SELECT COUNT(*) FROM orders FORCE INDEX (by_due) WHERE status = 'REJECTED'";

    private final Connection connection;

    public Database(RunningCopy copy) throws IOException, SQLException {
        String password = Files.readString(copy.home().resolve("secrets/db-password"));
        connection = DriverManager.getConnection(copy.dbUrl(), copy.dbUser(), password.strip());
    }

    public Connection connection() {
        return connection;
    }

    /**
     * Units of all sales whose order is committed. Each transaction that writes orders adds them to
     * the ledger, whose few rows are cheap to read again and again.
     */
    public long landed() throws SQLException {
        return number(LANDED);
    }

    /** The same of one sale. */
    public long landed(String productId) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(LANDED + " WHERE product_id = ?")) {
            statement.setString(1, productId);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Reservations of all sales that were rejected, read from an index alone. */
    public long rejected() throws SQLException {
        return number(REJECTED);
    }

    private long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
