package io.seckill.load.bench;

import io.seckill.load.copy.Database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The same rows written again by the same driver into a table of the same definition, by nothing
 * but INSERT: what the database can take at most from one connection.
 */
final class InsertFloor implements AutoCloseable {

    private static final String TABLE = "bench_orders";
    private static final List<String> COLUMNS = List.of(
            "order_sn",
            "reservation_id",
            "product_id",
            "user_id",
            "shard",
            "epoch",
            "seq",
            "quantity",
            "price_cents",
            "status",
            "reason",
            "reserved_at_ms",
            "created_at_ms",
            "pay_by_ms",
            "closed_at_ms");

    private final Connection connection;
    private final List<List<Object>> rows;

    InsertFloor(Database database, String product, int count) throws SQLException {
        connection = database.connection();
        rows = rows(product, count);
    }

    /** Rows per second, committed after each batch of so many. */
    double perSecond(int batch, int count) throws SQLException {
        List<List<Object>> some = rows.subList(0, Math.min(count, rows.size()));
        execute("DROP TABLE IF EXISTS " + TABLE);
        execute("CREATE TABLE " + TABLE + " LIKE orders");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(insert())) {
            long startNs = System.nanoTime();
            for (int from = 0; from < some.size(); from += batch) {
                write(insert, some.subList(from, Math.min(from + batch, some.size())));
            }
            return some.size() / ((System.nanoTime() - startNs) / 1e9);
        } finally {
            connection.setAutoCommit(true);
        }
    }

    int size() {
        return rows.size();
    }

    private void write(PreparedStatement insert, List<List<Object>> batch) throws SQLException {
        for (List<Object> row : batch) {
            for (int i = 0; i < row.size(); i++) {
                insert.setObject(i + 1, row.get(i));
            }
            insert.addBatch();
        }
        insert.executeBatch();
        connection.commit();
    }

    private static String insert() {
        String marks =
                Stream.generate(() -> "?").limit(COLUMNS.size()).collect(Collectors.joining(", "));
        return "INSERT INTO " + TABLE + " (" + String.join(", ", COLUMNS) + ") VALUES (" + marks
                + ")";
    }

    private List<List<Object>> rows(String product, int count) throws SQLException {
        String select = "SELECT " + String.join(", ", COLUMNS)
                + " FROM orders WHERE product_id = ? LIMIT " + count;
        List<List<Object>> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setString(1, product);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    List<Object> row = new ArrayList<>(); // with nulls
                    for (int i = 1; i <= COLUMNS.size(); i++) {
                        row.add(result.getObject(i));
                    }
                    found.add(row);
                }
            }
        }
        return found;
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        execute("DROP TABLE IF EXISTS " + TABLE);
    }
}
