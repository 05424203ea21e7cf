package io.seckill.spec;

import io.seckill.spec.Bounds.Buyer;
import io.seckill.spec.Ledger.Opening;
import io.seckill.spec.Ledger.State;
import io.seckill.spec.Order.Status;
import io.seckill.spec.ReturnRow.Outcome;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a real database in any state of the model, and what is there afterwards as the
 * model has it. A bad buyer is one who asks for more than the sale allows.
 */
final class RealTables {

    static final int PER_USER_LIMIT = 2;

    private static final String TABLES =
            "orders shard_ledger shard_opening stock_return stock_change";
    private static final long NEVER_MS = 4_000_000_000_000L;

    private final DataSource database;
    private final String product;

    RealTables(DataSource database, String product) {
        this.database = database;
        this.product = product;
        run(
                "INSERT INTO sale VALUES (?, 'Phone', 990, 1, 2, ?, 'off', 900, 99, FALSE, 'OPEN', 1)",
                product,
                PER_USER_LIMIT);
    }

    void put(World w) {
        for (String table : TABLES.split(" ", -1)) {
            run("DELETE FROM " + table + " WHERE product_id = ?", product);
        }
        for (int shard = 0; shard < w.ledgers.size(); shard++) {
            put(shard, w.ledger(shard));
        }
        int number = 0;
        for (Order order : w.orders.values()) {
            put(w, ++number, order);
        }
        w.returns.values().forEach(row -> put(w, row));
        w.changes.forEach(this::put);
    }

    /** Ids begin at 1; those that the code writes are higher. */
    private void put(Change change) {
        run(
                "INSERT INTO stock_change VALUES (?, ?, ?, ?, ?, 'test', ?, 1)",
                change.number() + 1,
                product,
                change.shard(),
                change.units(),
                change.epoch(),
                change.done() ? "DONE" : "WAITING");
    }

    private void put(int shard, Ledger ledger) {
        run(
                "INSERT INTO shard_ledger VALUES (?, ?, ?, ?, ?, ?, ?, 1)",
                product,
                shard,
                ledger.allocated,
                ledger.sold,
                ledger.epoch,
                ledger.lastSeq,
                ledger.state.name());
        for (Opening opening : ledger.openings) {
            run(
                    "INSERT INTO shard_opening VALUES (?, ?, ?, ?, 1)",
                    product,
                    shard,
                    opening.epoch(),
                    opening.keptSeq());
        }
    }

    private void put(World w, int number, Order order) {
        Taken t = order.taken();
        run(
                """
                INSERT INTO orders (order_sn, reservation_id, product_id, user_id, shard, epoch, seq,
                    quantity, price_cents, status, reason, reserved_at_ms, created_at_ms, pay_by_ms,
                    closed_at_ms, final_epoch)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 990, ?, ?, 1, 1, ?, ?, ?)""",
                sn(number),
                hex(t.id()),
                product,
                t.user(),
                t.shard(),
                t.epoch(),
                t.seq(),
                quantity(w, t),
                statusOf(order),
                reasonOf(order),
                NEVER_MS,
                order.status() == Status.CANCELLED ? 1 : null,
                order.isLive() ? null : order.finalEpoch());
    }

    private void put(World w, ReturnRow row) {
        GiveBack r = row.message();
        Taken t = World.of(w.orders, r.id()).taken();
        run(
                "INSERT INTO stock_return VALUES (?, ?, ?, ?, ?, ?, ?, 'test', ?, ?, 1)",
                hex(r.id()),
                product,
                t.user(),
                quantity(w, t),
                r.shard(),
                r.epoch(),
                r.burns() ? "BURN" : "RETURN",
                row.outcome().name(),
                isOfShard(row) ? row.answeredEpoch() : null);
    }

    /** The word of a shard, which says its epoch with it. */
    private static boolean isOfShard(ReturnRow row) {
        return !row.isWaiting() && row.outcome() != Outcome.RETIRED;
    }

    static int quantity(World w, Taken t) {
        boolean bad = Buying.buyer(w, t.user()).map(Buyer::bad).orElse(false);
        return bad ? PER_USER_LIMIT + t.units() : t.units();
    }

    private static String statusOf(Order order) {
        return switch (order.status()) {
            case LIVE -> "UNPAID";
            case CANCELLED -> "CANCELLED";
            case REJECTED, FULL, LOST -> "REJECTED";
        };
    }

    private static @Nullable String reasonOf(Order order) {
        return switch (order.status()) {
            case LIVE -> null;
            case CANCELLED -> "PAY_TIMEOUT";
            case REJECTED -> "DUPLICATE_USER";
            case FULL -> "LEDGER_FULL";
            case LOST -> "LOST";
        };
    }

    /** The order's number of {@link #put}, by the place of its reservation. */
    static String sn(int number) {
        return "%024d".formatted(number);
    }

    /** What is there now, as {@link #texts(World)}. */
    Map<String, String> texts(World before) {
        Map<String, String> to = new TreeMap<>();
        query(
                "SELECT * FROM shard_ledger WHERE product_id = ?",
                row -> to.put("shard " + row.getInt("shard"), ledger(row).toString()));
        query("SELECT * FROM orders WHERE product_id = ?", row -> {
            Order order = order(before, row);
            to.put("order " + order.taken().id(), order.toString());
        });
        query("SELECT * FROM stock_return WHERE product_id = ?", row -> {
            ReturnRow found = returnRow(row);
            to.put(
                    "return " + found.message().id(),
                    text(found, row.getString("user_id"), row.getInt("quantity")));
        });
        int[] number = new int[1];
        query("SELECT * FROM stock_change WHERE product_id = ? ORDER BY id", row -> {
            Change found = change(number[0]++, row);
            to.put("change " + found.number(), found.toString());
        });
        return to;
    }

    /** What should be there, by what it is of. */
    static Map<String, String> of(World model) {
        Map<String, String> to = new TreeMap<>();
        for (int shard = 0; shard < model.ledgers.size(); shard++) {
            to.put("shard " + shard, model.ledger(shard).toString());
        }
        model.orders.forEach((id, order) -> to.put("order " + id, order.toString()));
        model.returns.forEach((id, row) -> to.put("return " + id, text(model, row)));
        model.changes.forEach(each -> to.put("change " + each.number(), each.toString()));
        return to;
    }

    private static String text(World model, ReturnRow row) {
        Taken of = World.of(model.orders, row.message().id()).taken();
        int epoch = isOfShard(row) ? row.answeredEpoch() : 0;
        return text(
                new ReturnRow(row.message(), row.outcome(), epoch), of.user(), quantity(model, of));
    }

    private static String text(ReturnRow row, String user, int quantity) {
        return row + " of " + user + ", " + quantity;
    }

    private Ledger ledger(ResultSet row) throws SQLException {
        Ledger to = new Ledger(row.getInt("allocated"));
        to.sold = row.getInt("sold");
        to.epoch = row.getInt("epoch");
        to.lastSeq = row.getInt("last_seq");
        to.state = State.valueOf(row.getString("state"));
        query(
                "SELECT * FROM shard_opening WHERE product_id = ? AND shard = "
                        + row.getInt("shard") + " ORDER BY epoch",
                opening -> to.openings.add(
                        new Opening(opening.getInt("epoch"), opening.getInt("kept_seq"))));
        return to;
    }

    private static Change change(int number, ResultSet row) throws SQLException {
        return new Change(
                number,
                row.getInt("shard"),
                row.getInt("units"),
                row.getInt("epoch"),
                row.getString("state").equals("DONE"));
    }

    private static Order order(World w, ResultSet row) throws SQLException {
        String user = row.getString("user_id");
        boolean bad = Buying.buyer(w, user).map(Buyer::bad).orElse(false);
        int quantity = row.getInt("quantity");
        Taken taken = new Taken(
                text(row.getString("reservation_id")),
                user,
                bad ? quantity - PER_USER_LIMIT : quantity,
                row.getInt("shard"),
                row.getInt("epoch"),
                row.getInt("seq"));
        return new Order(
                taken,
                status(row.getString("status"), row.getString("reason")),
                row.getInt("final_epoch"));
    }

    private static Status status(String status, @Nullable String reason) {
        return switch (status) {
            case "UNPAID", "PAID" -> Status.LIVE;
            case "REJECTED" ->
                "LEDGER_FULL".equals(reason)
                        ? Status.FULL
                        : "LOST".equals(reason) ? Status.LOST : Status.REJECTED;
            default -> Status.valueOf(status);
        };
    }

    private static ReturnRow returnRow(ResultSet row) throws SQLException {
        return new ReturnRow(
                new GiveBack(
                        text(row.getString("reservation_id")),
                        row.getInt("shard"),
                        row.getInt("epoch"),
                        row.getString("action").equals("BURN")),
                Outcome.valueOf(row.getString("outcome")),
                row.getInt("answered_epoch"));
    }

    /** A name of the model as 32 hex digits, and back. */
    static String hex(String id) {
        return "%032x".formatted(new BigInteger(1, id.getBytes(StandardCharsets.US_ASCII)));
    }

    static String text(String hex) {
        return new String(new BigInteger(hex, 16).toByteArray(), StandardCharsets.US_ASCII);
    }

    void run(String statement, @Nullable Object... values) {
        try (Connection connection = database.getConnection();
                var prepared = connection.prepareStatement(statement)) {
            for (int i = 0; i < values.length; i++) {
                prepared.setObject(i + 1, values[i]);
            }
            prepared.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    /** What is done with a row. */
    @FunctionalInterface
    interface Reader {
        void read(ResultSet row) throws SQLException;
    }

    /** Of this product, whose id is the statement's only value. */
    void query(String statement, Reader reader) {
        try (Connection connection = database.getConnection();
                var prepared = connection.prepareStatement(statement)) {
            prepared.setString(1, product);
            try (ResultSet rows = prepared.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }
}
