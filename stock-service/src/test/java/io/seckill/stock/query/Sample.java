package io.seckill.stock.query;

import io.seckill.quantity.Books;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.quantity.StockCount;
import io.seckill.stock.sale.Allocation;
import io.seckill.stock.sale.Sale;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Product 518, ten units over two shards, books in balance; a test damages one thing and looks.
 *
 * <p>Shard 0 had 6: alice holds 2, bob holds 1, carol gave 1 back, 3 are left. Shard 1 had 4: dave
 * holds 1, 3 are left.
 */
final class Sample {

    int perUserLimit = 2;
    long stockTotal = 10;
    Queued queued = Queued.of(0, 0);
    final List<Allocation> allocations = new ArrayList<>();
    final List<StockCount> counts = new ArrayList<>();
    final List<Map<String, Kept>> kept = List.of(new HashMap<>(), new HashMap<>());
    final List<Map<String, String>> buyers = List.of(new HashMap<>(), new HashMap<>());
    final List<LiveOrder> orders = new ArrayList<>();

    Sample() {
        allocations.add(new Allocation("518", 0, 6, 3, 1, 1L));
        allocations.add(new Allocation("518", 1, 4, 1, 1, 1L));
        counts.add(new StockCount(3, 6, 4, 1, 0, 1, 9));
        counts.add(new StockCount(3, 4, 1, 0, 0, 1, 9));
        hold(0, "alice", 2);
        hold(0, "bob", 1);
        hold(1, "dave", 1);
        keep(0, "carol", State.X, 1);
    }

    private void hold(int shard, String user, int quantity) {
        keep(shard, user, State.R, quantity);
        buyers.get(shard).put(user, id(user));
        orders.add(new LiveOrder(id(user), user, shard, quantity));
    }

    void keep(int shard, String user, State state, int quantity) {
        kept.get(shard).put(id(user), new Kept(state, user, quantity, 1, 1, 1));
    }

    static String id(String user) {
        return "r-" + user;
    }

    ProductBooks check() {
        Sale sale = new Sale(
                "518",
                "Product 518",
                0,
                1,
                2,
                perUserLimit,
                "off",
                900,
                stockTotal,
                false,
                "0:1:OPEN 1:1:OPEN",
                Sale.State.OPEN,
                1);
        Map<Integer, Books> shards = Map.of(0, books(0), 1, books(1));
        return Audit.check(new Facts(sale, allocations, shards, queued, orders, 0));
    }

    private Books books(int shard) {
        return new Books(
                Optional.ofNullable(counts.get(shard)), kept.get(shard), buyers.get(shard), 0);
    }
}
