package io.seckill.load.faults;

import io.seckill.contracts.RedisKeys;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.RunningCopy;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;

/**
 * What the stores hold of one sale, read past all services: each shard as of one instant, the
 * database as of another.
 */
record Seen(
        Map<Integer, InShard> shards, Map<Integer, Ledger> ledger, List<Order> orders, long due) {

    /** The keys of the product in a shard. */
    record InShard(
            Map<String, String> stock,
            Map<String, String> reservations,
            Map<String, String> buyers,
            long outbox) {

        /** A rebuild writes its stock last. */
        boolean isWhole() {
            return stock.containsKey("init") && !stock.containsKey("building");
        }

        /** 0 where there is none; a counter that is no whole number is an error. */
        long count(String field) {
            return Long.parseLong(stock.getOrDefault(field, "0"));
        }

        /** Units that reservations hold. */
        long heldUnits() {
            return reservations.values().stream()
                    .filter(kept -> kept.startsWith("R|"))
                    .mapToLong(kept -> Long.parseLong(kept.split("\\|")[2]))
                    .sum();
        }

        /** Reservation → user, of those that hold units. */
        Map<String, String> held() {
            return reservations.entrySet().stream()
                    .filter(kept -> kept.getValue().startsWith("R|"))
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, kept -> kept.getValue().split("\\|")[1]));
        }

        long since(long ms) {
            return reservations.values().stream()
                    .filter(kept -> takenAtMs(kept) >= ms)
                    .count();
        }

        /** Reservations that hold units since then, or longer. */
        private Stream<String> heldSince(long ms) {
            return reservations.entrySet().stream()
                    .filter(kept -> kept.getValue().startsWith("R|"))
                    .filter(kept -> takenAtMs(kept.getValue()) <= ms)
                    .map(Map.Entry::getKey);
        }

        private static long takenAtMs(String kept) {
            return Long.parseLong(kept.split("\\|")[3]);
        }
    }

    record Ledger(long allocated, long sold, int epoch, String state) {}

    record Order(
            String orderSn,
            String reservationId,
            String userId,
            int quantity,
            int shard,
            String status) {

        boolean isLive() {
            return status.equals("UNPAID") || status.equals("PAID");
        }
    }

    /** Units of these. */
    static long units(List<Order> orders) {
        return orders.stream().mapToLong(Order::quantity).sum();
    }

    List<Order> live() {
        return orders.stream().filter(Order::isLive).toList();
    }

    /** Reservations of these shards that hold units since then, or longer, and have no row yet. */
    long undecided(IntPredicate ofShard, long sinceMs) {
        Set<String> decided = orders.stream().map(Order::reservationId).collect(Collectors.toSet());
        return shards.entrySet().stream()
                .filter(each -> ofShard.test(each.getKey()))
                .flatMap(each -> each.getValue().heldSince(sinceMs))
                .filter(id -> !decided.contains(id))
                .count();
    }

    static Seen of(RunningCopy copy, String productId) throws IOException, SQLException {
        Map<Integer, InShard> shards = new TreeMap<>();
        for (int n = 0; n < copy.shards().size(); n++) {
            shards.put(n, inShard(copy, n, productId));
        }
        try (Database database = new Database(copy)) {
            Connection connection = database.connection();
            connection.setAutoCommit(false); // from here on all is of one instant
            return new Seen(
                    shards,
                    ledger(connection, productId),
                    orders(connection, productId),
                    due(connection, productId));
        }
    }

    static Jedis connect(RunningCopy copy, int shard) {
        return new Jedis(URI.create(copy.shards().get(shard)));
    }

    static InShard inShard(RunningCopy copy, int shard, String productId) {
        try (Jedis redis = connect(copy, shard)) {
            return inShard(redis, productId);
        }
    }

    static InShard inShard(Jedis redis, String productId) {
        try (Transaction atOnce = redis.multi()) {
            Response<Map<String, String>> stock = atOnce.hgetAll(RedisKeys.stock(productId));
            Response<Map<String, String>> kept = atOnce.hgetAll(RedisKeys.reservations(productId));
            Response<Map<String, String>> buyers = atOnce.hgetAll(RedisKeys.buyers(productId));
            Response<Long> outbox = atOnce.xlen(RedisKeys.outbox(productId));
            atOnce.exec();
            return new InShard(stock.get(), kept.get(), buyers.get(), outbox.get());
        }
    }

    /** The gate lets buyers in: the books were verified for this very process. */
    static boolean isOpen(RunningCopy copy, int shard, String productId) {
        try (Jedis redis = connect(copy, shard)) {
            String openFor = redis.hget(RedisKeys.stock(productId), "open_for");
            return openFor != null && redis.info("replication").contains(":" + openFor);
        }
    }

    static Map<Integer, Ledger> ledger(Connection connection, String productId)
            throws SQLException {
        Map<Integer, Ledger> ledger = new HashMap<>();
        String sql = "SELECT shard, allocated, sold, epoch, state FROM shard_ledger"
                + " WHERE product_id = ?";
        read(
                connection,
                sql,
                productId,
                row -> ledger.put(
                        row.getInt(1),
                        new Ledger(
                                row.getLong(2), row.getLong(3), row.getInt(4), row.getString(5))));
        return ledger;
    }

    static List<Order> orders(Connection connection, String productId) throws SQLException {
        List<Order> orders = new ArrayList<>();
        String sql = "SELECT order_sn, reservation_id, user_id, quantity, shard, status FROM orders"
                + " WHERE product_id = ?";
        read(
                connection,
                sql,
                productId,
                row -> orders.add(new Order(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getInt(4),
                        row.getInt(5),
                        row.getString(6))));
        return orders;
    }

    /** Returns that wait for their shard. */
    private static long due(Connection connection, String productId) throws SQLException {
        long[] due = new long[1];
        String sql = "SELECT COUNT(*) FROM stock_return WHERE outcome = 'WAITING'"
                + " AND product_id = ?";
        read(connection, sql, productId, row -> due[0] = row.getLong(1));
        return due[0];
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private static void read(Connection connection, String sql, String productId, RowReader reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, productId);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows);
                }
            }
        }
    }
}
