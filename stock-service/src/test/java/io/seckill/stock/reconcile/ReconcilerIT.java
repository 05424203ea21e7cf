package io.seckill.stock.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.returns.ReturnService;
import io.seckill.testkit.Metrics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.resps.StreamEntry;

class ReconcilerIT {

    private static final String LONG_AGO = "1000";

    private final Stock stock = Stock.running();
    private final AtomicInteger users = new AtomicInteger();

    /** The walks pass by all sales, and their counters tell of none. */
    @BeforeAll
    static void forgetOthers() {
        Stock.running().forgetSales();
    }

    @Test
    void reservation_whose_message_was_lost_is_told_again_once() {
        Buyers buyers = sale("801");
        String id = buyers.take(1, "alice", 1);
        made(LONG_AGO, "801", 1, id);
        String waits = buyers.take(1, "bob", 1);
        made(LONG_AGO, "801", 1, waits);
        String young = buyers.take(1, "carol", 1);
        List<StreamEntry> entries = outbox("801", 1);
        try (Jedis jedis = stock.shards.get(1).connect()) {
            jedis.xdel(
                    RedisKeys.outbox("801"),
                    entries.get(0).getID(),
                    entries.get(2).getID());
        }
        Metrics before = stock.metrics();
        turns(reconciler());

        List<StreamEntry> after = outbox("801", 1);
        assertThat(after).hasSize(2);
        assertThat(after.get(0).getFields()).containsEntry("reservation_id", waits);
        Map<String, String> told = entries.get(0).getFields();
        told.put("reserved_at_ms", LONG_AGO);
        assertThat(after.get(1).getFields()).isEqualTo(told);
        assertThat(grown("repaired", before)).isEqualTo(1);
        assertThat(young).isNotEqualTo(id);
    }

    @Test
    void reservation_whose_entry_waits_is_not_told_again_however_many_wait_behind_it() {
        Buyers buyers = sale("814", 900);
        String first = buyers.take(1, "alice", 1);
        made(LONG_AGO, "814", 1, first);
        IntStream.range(0, 250).forEach(i -> buyers.take(1, "u-" + i, 1));
        Metrics before = stock.metrics();
        turns(reconciler());
        assertThat(outbox("814", 1)).hasSize(251);
        assertThat(grown("repaired", before)).isZero();
    }

    /** R2: the unit went back, its row is final, then the shard loses that write. */
    @ParameterizedTest
    @CsvSource({"802, RETURN, RETURNED, 9", "803, BURN, BURNED, 8"})
    void return_that_its_shard_lost_is_done_again_as_what_it_was(
            String product, Action action, String outcome, String left) {
        Buyers buyers = sale(product);
        String id = buyers.buy(0, "alice", 1);
        Map<String, Map<String, String>> copy = copy(product);
        buyers.cancel(id, 0, 1);
        ended(LONG_AGO, id);
        stock.bean(ReturnService.class).settle(List.of(buyers.giveBack(id, 0, "alice", action)));
        assertThat(outcome(id)).containsExactly(outcome);
        restore(copy);
        made(LONG_AGO, product, 0, id);
        assertThat(stock.available(product).get(0)).isEqualTo("8");

        Metrics before = stock.metrics();
        turns(reconciler());

        await().atMost(Duration.ofSeconds(5))
                .until(() -> stock.bean(QuantityStocks.class)
                        .get(0)
                        .holder(product, "alice")
                        .isEmpty());
        await().atMost(Duration.ofSeconds(5)).until(() -> outcome(id).equals(List.of(outcome)));
        assertThat(stock.available(product).get(0)).isEqualTo(left);
        assertThat(grown("repaired", before)).isEqualTo(1);
    }

    /** A look that came too early does not put off the next one. */
    @Test
    void return_that_its_shard_lost_is_done_again_as_soon_as_its_order_is_old_enough() {
        Buyers buyers = sale("815");
        String id = buyers.buy(0, "alice", 1);
        Map<String, Map<String, String>> copy = copy("815");
        buyers.cancel(id, 0, 1);
        stock.bean(ReturnService.class)
                .settle(List.of(buyers.giveBack(id, 0, "alice", Action.RETURN)));
        restore(copy);
        made(LONG_AGO, "815", 0, id);
        Metrics before = stock.metrics();
        turns(reconciler());
        assertThat(grown("repaired", before))
                .as("its message may be on its way")
                .isZero();

        ended(LONG_AGO, id);
        turns(reconciler());
        assertThat(grown("repaired", before)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"804, PAY_TIMEOUT, 9, RETURNED", "805, LEDGER_FULL, 8, BURNED"})
    void ended_order_without_a_return_gets_one(
            String product, String reason, String left, String outcome) {
        Buyers buyers = sale(product);
        String id = buyers.buy(2, "alice", 1);
        buyers.cancel(id, 2, 1);
        stock.sql().update("UPDATE orders SET reason = ? WHERE reservation_id = ?", reason, id);
        turns(reconciler());
        assertThat(outcome(id)).as("its message may be on its way").isEmpty();

        ended(LONG_AGO, id);
        Metrics before = stock.metrics();
        turns(reconciler());
        await().atMost(Duration.ofSeconds(5)).until(() -> outcome(id).equals(List.of(outcome)));
        assertThat(stock.available(product).get(2)).isEqualTo(left);
        assertThat(grown("repaired", before)).isEqualTo(1);
    }

    /** It only says how far order-service has come, which orders do not depend on. */
    @ParameterizedTest
    @CsvSource({"812, away", "813, damaged"})
    void order_is_compared_also_without_the_control_redis(String product, String how) {
        Buyers buyers = sale(product);
        String id = buyers.buy(2, "alice", 1);
        buyers.cancel(id, 2, 1);
        ended(LONG_AGO, id);
        if (how.equals("away")) {
            stock.control.kill();
        } else {
            backlog("mine");
        }
        try {
            pages(reconciler());
            assertThat(outcome(id)).hasSize(1);
        } finally {
            if (how.equals("away")) {
                stock.control.start();
            }
            backlog("{\"estimatedWaitMs\":0,\"atMs\":1}");
        }
    }

    @Test
    void order_that_was_lost_owes_no_return() {
        sale("806").lose(1, "alice");
        Metrics before = stock.metrics();
        turns(reconciler());
        assertThat(grown("differences", before)).isZero();
    }

    /** Its attempt came again, and was taken by the shard in its next life. */
    @Test
    void units_held_for_an_order_that_was_lost_are_given_back() {
        Buyers buyers = sale("816");
        String id = buyers.take(1, "alice", 1);
        made(LONG_AGO, "816", 1, id);
        buyers.order(id, 1, "alice", 1);
        stock.sql()
                .update(
                        "UPDATE orders SET status = 'REJECTED', reason = 'LOST', final_epoch = 1"
                                + " WHERE reservation_id = ?",
                        id);
        Metrics before = stock.metrics();
        turns(reconciler());
        await().atMost(Duration.ofSeconds(5)).until(() -> outcome(id).equals(List.of("RETURNED")));
        assertThat(stock.available("816").get(1)).isEqualTo("9");
        assertThat(grown("repaired", before)).isEqualTo(1);
    }

    @Test
    void units_held_for_the_order_of_another_shard_are_reported() {
        String id = sale("817").buy(2, "alice", 1);
        try (Jedis jedis = stock.shards.get(1).connect()) {
            jedis.hset(RedisKeys.reservations("817"), id, "R|alice|1|1000|1|1");
        }
        Metrics before = stock.metrics();
        turns(reconciler());
        assertThat(grown("unexplained", before)).isEqualTo(1);
        assertThat(grown("differences", before)).isEqualTo(1);
        assertThat(outcome(id)).isEmpty();
        assertThat(stock.metrics().objections()).isEmpty();
    }

    @Test
    void live_order_that_holds_nothing_has_its_shard_rebuilt() {
        Buyers buyers = sale("807");
        buyers.buy(0, "bob", 1);
        String id = buyers.buy(1, "alice", 1);
        try (Jedis jedis = stock.shards.get(1).connect()) {
            jedis.hdel(RedisKeys.reservations("807"), id);
        }
        Metrics before = stock.metrics();
        stock.withoutRecovery(() -> {
            turns(reconciler());
            assertThat(states("807")).containsExactly("OPEN", "RECOVERING", "OPEN");
        });
        assertThat(grown("lost", before)).isEqualTo(1);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> states("807").equals(List.of("OPEN", "OPEN", "OPEN")));
        assertThat(stock.bean(QuantityStocks.class).get(1).holder("807", "alice"))
                .contains(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"open_for", "epoch"})
    void shard_that_is_not_open_in_the_ledger_s_epoch_is_not_judged(String field) {
        String product = field.equals("epoch") ? "808" : "809";
        Buyers buyers = sale(product);
        String id = buyers.buy(1, "alice", 1);
        stock.withoutRecovery(() -> {
            try (Jedis jedis = stock.shards.get(1).connect()) {
                jedis.hdel(RedisKeys.reservations(product), id);
                jedis.hset(RedisKeys.stock(product), Map.of("init", "7", field, "2"));
            }
            turns(reconciler());
            assertThat(states(product)).containsOnly("OPEN");
        });
    }

    @Test
    void shard_with_other_units_than_the_ledger_is_rebuilt_unless_they_are_changing() {
        sale("810");
        try (Jedis jedis = stock.shards.get(2).connect()) {
            jedis.hset(RedisKeys.stock("810"), "init", "12");
        }
        stock.without("changeLoop", () -> {
            stock.sql()
                    .update("INSERT INTO stock_change (product_id, shard, units, epoch, cause,"
                            + " state, changed_at_ms)"
                            + " VALUES ('810', 2, 3, 1, 'test', 'WAITING', 1)");
            turns(reconciler());
            assertThat(states("810")).containsOnly("OPEN");
            stock.sql().update("UPDATE stock_change SET state = 'DONE' WHERE product_id = '810'");
        });

        stock.withoutRecovery(() -> {
            turns(reconciler());
            assertThat(states("810")).containsExactly("OPEN", "OPEN", "RECOVERING");
        });
    }

    /**
     * The second reconciler lives an hour ahead: to it nothing is on its way, so it may send again
     * what is; but no race looks to it like a loss, and nothing that it does gives back twice.
     */
    @Test
    void traffic_that_is_well_is_never_repaired_and_never_taken_for_a_loss() {
        Buyers buyers = sale("811", 30_000);
        Metrics before = stock.metrics();
        traffic(buyers, reconciler());
        assertThat(grown("differences", before)).isZero();

        Reconciler ahead = new Reconciler(
                stock.bean(HeldWalk.class),
                stock.bean(OrderWalk.class),
                stock.bean(RedisClient.class),
                Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        traffic(buyers, ahead);
        assertThat(grown("lost", before)).isZero();
        assertThat(states("811")).containsOnly("OPEN");
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(stock.available("811")).containsOnly("10000"));
    }

    /** A thread for each shard takes, orders, closes and returns as fast as it can, among turns. */
    private void traffic(Buyers buyers, Reconciler reconciler) {
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> crowd = IntStream.range(0, 3)
                .mapToObj(shard -> CompletableFuture.runAsync(() -> {
                    while (!over.get()) {
                        comeAndGo(buyers, shard);
                    }
                }))
                .toList();
        long endNs = System.nanoTime() + Duration.ofSeconds(4).toNanos();
        while (System.nanoTime() < endNs) {
            turns(reconciler);
        }
        over.set(true);
        crowd.forEach(CompletableFuture::join);
    }

    private void comeAndGo(Buyers buyers, int shard) {
        List<String> ids = Stream.generate(
                        () -> buyers.buy(shard, "u-" + users.incrementAndGet(), 1))
                .limit(4)
                .toList();
        ids.forEach(id -> buyers.cancel(id, shard, 1));
        stock.bean(ReturnService.class)
                .settle(ids.stream()
                        .map(id -> buyers.giveBack(id, shard, "u", Action.RETURN))
                        .toList());
    }

    private Buyers sale(String product) {
        return sale(product, 27);
    }

    /** All other sales are left out, for tests leave damage behind. */
    private Buyers sale(String product, int units) {
        assertThat(stock.create("{'productId':'" + product + "','stock':" + units + "}")
                        .status())
                .isEqualTo(201);
        stock.sql()
                .update("UPDATE shard_ledger SET state = 'RETIRED' WHERE product_id <> ?", product);
        return new Buyers(stock, product);
    }

    private Reconciler reconciler() {
        return stock.bean(Reconciler.class);
    }

    private void turns(Reconciler reconciler) {
        backlog("{\"estimatedWaitMs\":0,\"atMs\":1}");
        pages(reconciler);
    }

    private void backlog(String text) {
        try (Jedis control = stock.control.connect()) {
            control.set(RedisKeys.BACKLOG, text);
        }
    }

    /** Enough for all orders of all tests and for what is left of a round. */
    private void pages(Reconciler reconciler) {
        int orders = stock.sql().queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
        for (int i = 0; i < 4 + 2 * orders / Reconciler.PAGE; i++) {
            reconciler.turn();
        }
    }

    private void made(String atMs, String product, int shard, String id) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            String[] parts = jedis.hget(RedisKeys.reservations(product), id).split("\\|");
            parts[3] = atMs;
            jedis.hset(RedisKeys.reservations(product), id, String.join("|", parts));
        }
    }

    private void ended(String atMs, String id) {
        stock.sql().update("UPDATE orders SET closed_at_ms = ? WHERE reservation_id = ?", atMs, id);
    }

    private Map<String, Map<String, String>> copy(String product) {
        try (Jedis jedis = stock.shards.get(0).connect()) {
            return Map.of(
                    RedisKeys.stock(product), jedis.hgetAll(RedisKeys.stock(product)),
                    RedisKeys.buyers(product), jedis.hgetAll(RedisKeys.buyers(product)),
                    RedisKeys.reservations(product),
                            jedis.hgetAll(RedisKeys.reservations(product)));
        }
    }

    private void restore(Map<String, Map<String, String>> copy) {
        try (Jedis jedis = stock.shards.get(0).connect()) {
            copy.forEach((key, hash) -> {
                jedis.del(key);
                jedis.hset(key, hash);
            });
        }
    }

    private List<StreamEntry> outbox(String product, int shard) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            return jedis.xrange(
                    RedisKeys.outbox(product), (StreamEntryID) null, (StreamEntryID) null);
        }
    }

    private List<String> outcome(String id) {
        return stock.sql()
                .queryForList(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        id);
    }

    private List<String> states(String product) {
        return stock.sql()
                .queryForList(
                        "SELECT state FROM shard_ledger WHERE product_id = ? ORDER BY shard",
                        String.class,
                        product);
    }

    private long grown(String what, Metrics before) {
        String name = "seckill_" + what + "_total";
        return stock.metrics().sum(name) - before.sum(name);
    }
}
