package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.RefusedException;
import io.seckill.common.message.Backlog;
import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import io.seckill.stock.Tokens;
import io.seckill.stock.Traces;
import io.seckill.stock.relay.CatalogRelay;
import io.seckill.stock.returns.ReturnService;
import io.seckill.testkit.Metrics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.PlatformTransactionManager;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;

class SaleRemovalIT {

    private static final AtomicLong IDS = new AtomicLong(700_000_000_000_000_000L);
    private static final List<String> MONEY = List.of("charge", "payment", "refund");

    private final Stock stock = Stock.running();
    private final String product = Long.toString(IDS.incrementAndGet());
    private final Traces traces = new Traces(stock, product);
    private final Buyers buyers = new Buyers(stock, product);

    @Test
    void synthetic_sale_that_sold_leaves_nothing() {
        synthetic();
        sell();
        await().until(() -> traces.all().contains("limit_change"));
        assertThat(traces.all())
                .contains(
                        RedisKeys.SALES,
                        RedisKeys.sale(product),
                        RedisKeys.quota(product),
                        RedisKeys.productLimits(product),
                        RedisKeys.result(product, "alice"),
                        RedisKeys.stock(product),
                        RedisKeys.ended(product),
                        RedisKeys.parked(product))
                .contains("sale shard_ledger orders stock_return parked_message".split(" "));

        Answer answer = remove();

        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        assertThat(answer.text("productId")).isEqualTo(product);
        assertNothingIsLeft();
        for (String money : MONEY) {
            assertThat(stock.sql().queryForObject("SELECT COUNT(*) FROM " + money, Long.class))
                    .as(money)
                    .isZero();
        }
    }

    @Test
    void removed_sale_is_removed_again_and_its_id_makes_no_new_sale() {
        synthetic();
        assertThat(remove().status()).isEqualTo(200);
        long rememberedUntilMs = rememberedUntilMs();
        assertThat(remove().status()).isEqualTo(200);
        assertThat(rememberedUntilMs()).as("never prolonged").isEqualTo(rememberedUntilMs);

        Answer again = stock.create("{'productId':'" + product + "','stock':9}");
        assertThat(again.text("code")).isEqualTo("SALE_CONFLICT");
        assertThat(again.text("message")).contains("was removed; use another product id");
    }

    private long rememberedUntilMs() {
        try (Jedis control = stock.control.connect()) {
            return control.pexpireTime(RedisKeys.removed(product));
        }
    }

    @Test
    void real_sale_is_refused_and_stays_and_an_unknown_or_malformed_one_is_named() {
        assertThat(remove().text("code")).isEqualTo("NO_SUCH_SALE");
        stock.create("{'productId':'" + product + "','stock':9}");
        Answer answer = remove();
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.text("code")).isEqualTo("NOT_SYNTHETIC");
        assertThat(stock.available(product)).containsExactly("3", "3", "3");
        assertThat(remove("0518").text("code")).isEqualTo("BAD_REQUEST");
    }

    @Test
    void reservation_on_its_way_keeps_the_sale_ended_and_busy_until_it_has_landed() {
        synthetic();
        String id = buyers.take(1, "alice", 1);

        Answer busy = remove();

        assertThat(busy.status()).isEqualTo(503);
        assertThat(busy.text("message")).contains("1 reservations, 0 messages and 0 returns");
        assertThat(Long.parseLong(stock.saleFacts(product).get("end_at_ms")))
                .isLessThanOrEqualTo(System.currentTimeMillis());
        assertThat(stock.audit(product).text("code")).isEqualTo("NO_SUCH_SALE");
        assertThat(stock.get("/admin/audit").status()).isEqualTo(200);
        buyers.order(id, 1, "alice", 1);
        assertThat(remove().status()).as("its entry may be sent again").isEqualTo(503);
        handOver();
        awaitRemoved();
        assertNothingIsLeft();
    }

    @Test
    void message_not_sent_and_a_return_not_seen_keep_the_sale_busy() {
        synthetic();
        String id = buyers.buy(0, "alice", 1);
        handOver();
        buyers.cancel(id, 0, 1);
        buyers.lose(0, "bob"); // owes none
        stock.sql()
                .update(
                        "INSERT INTO outbox (topic, message_count, messages, created_at_ms) "
                                + "VALUES ('t', 1, CONCAT(?, ' ', ?), 1)",
                        id,
                        buyers.message(id, 0, "alice", Action.RETURN));

        assertThat(remove().text("message")).contains("1 messages and 1 returns");
        stock.bean(ReturnService.class)
                .settle(List.of(buyers.giveBack(id, 0, "alice", Action.RETURN)));
        assertThat(remove().text("message")).contains("1 messages and 0 returns");
        stock.sql().update("DELETE FROM outbox");
        awaitRemoved();
        assertNothingIsLeft();
    }

    /** Nothing in the broker can be its message, so nobody waits for it. */
    @Test
    void lost_reservation_and_a_lost_return_do_not_keep_the_sale_for_ever() {
        synthetic();
        buyers.take(0, "alice", 1);
        buyers.cancel(buyers.buy(1, "bob", 1), 1, 1);
        handOver();
        await().atMost(Duration.ofSeconds(30)).until(() -> remove().status() == 200);
        assertNothingIsLeft();
    }

    @Test
    void nothing_is_taken_from_a_removed_sale_and_what_comes_late_is_dropped_and_counted() {
        synthetic();
        String id = buyers.buy(0, "alice", 1);
        handOver();
        remove();
        Metrics before = stock.metrics();

        assertThat(stock.bean(QuantityStocks.class)
                        .get(0)
                        .reserve(new Reserve(
                                Buyers.newId(),
                                product,
                                "bob",
                                1,
                                false,
                                System.currentTimeMillis() + 10_000))
                        .word())
                .isEqualTo(ReserveOutcome.Word.NOT_LOADED);
        stock.bean(ReturnService.class)
                .settle(List.of(buyers.giveBack(id, 0, "alice", Action.RETURN)));

        Metrics after = stock.metrics();
        assertThat(after.sum("seckill_dropped_total") - before.sum("seckill_dropped_total"))
                .isEqualTo(1);
        assertThat(after.objections()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void instance_that_has_not_heard_of_it_does_not_bring_it_back() {
        synthetic();
        Sale stale = stock.bean(SaleMapper.class).find(product).orElseThrow();
        remove();
        stock.bean(CatalogRelay.class).publish(List.of(stale));
        assertNothingIsLeft();
    }

    /** The transaction before it was committed while the sale was open. */
    @Test
    void rebuild_that_begins_after_the_sale_was_removed_leaves_nothing() {
        synthetic();
        QuantityRecovery late =
                new QuantityRecovery(stock.bean(QuantityStocks.class).get(1).shard());
        String identity = late.state(product).identity();
        awaitRemoved();
        assertThat(late.begin(product, identity, 2)).as("it left its mark").isTrue();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"seq", "burned", "stock", "outbox"})
    void damaged_part_does_not_keep_the_sale_for_ever(String what) {
        synthetic();
        buyers.buy(0, "alice", 1);
        assertThat(remove().status()).isEqualTo(503);
        try (Jedis shard = stock.shards.get(0).connect()) {
            switch (what) {
                case "stock" -> shard.set(RedisKeys.stock(product), "mine");
                case "outbox" -> shard.set(RedisKeys.outbox(product), "mine");
                default -> shard.hset(RedisKeys.stock(product), what, "5.0");
            }
        }
        if (!what.equals("outbox")) {
            handOver();
        }
        awaitRemoved();
        assertNothingIsLeft();
    }

    @Test
    void shard_that_is_away_is_named_and_the_sale_goes_by_itself_when_it_is_back() {
        synthetic();
        stock.shards.get(2).kill();
        try {
            assertThat(remove().text("message")).isEqualTo("shard 2 is away; call again");
        } finally {
            stock.shards.get(2).start();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> traces.all().isEmpty());
    }

    /** Dies before and after each of its statements in turn; each time another call ends it. */
    @Test
    void removal_that_died_at_any_step_is_ended_by_the_next() {
        int steps = 0;
        for (boolean isDone : new boolean[] {false, true}) {
            for (int at = 1; new SaleRemovalIT().died(at, isDone); at++) {
                steps++;
            }
        }
        assertThat(steps).as("vacuous").isGreaterThan(20);
    }

    /** False when it ended before it came so far. */
    private boolean died(int at, boolean isDone) {
        synthetic();
        sell();
        AtomicInteger calls = new AtomicInteger();
        try {
            removeUntilNotBusy(dyingAt(at, isDone, calls));
            assertNothingIsLeft();
            return false;
        } catch (Death e) {
            await().atMost(Duration.ofSeconds(30)).until(() -> remove().status() == 200);
            assertNothingIsLeft();
            return true;
        }
    }

    /** What was just sold may still be on its way. */
    private void removeUntilNotBusy(SaleRemoval removal) {
        for (int i = 0; ; i++) {
            try {
                removal.remove(product);
                return;
            } catch (RefusedException e) {
                if (i == 100) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
    }

    /** The end of the process, as far as this removal is concerned. */
    private static final class Death extends Error {

        private static final long serialVersionUID = 1;
    }

    /** The real statements, of which one is the last that is made, or the first that is not. */
    private SaleRemoval dyingAt(int at, boolean isDone, AtomicInteger calls) {
        RemovalMapper real = stock.bean(RemovalMapper.class);
        RemovalMapper mapper = (RemovalMapper) Proxy.newProxyInstance(
                RemovalMapper.class.getClassLoader(),
                new Class<?>[] {RemovalMapper.class},
                (proxy, method, args) -> {
                    boolean isLast = calls.incrementAndGet() == at;
                    if (isLast && !isDone) {
                        throw new Death();
                    }
                    try {
                        Object result = method.invoke(real, args);
                        if (isLast) {
                            throw new Death();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new SaleRemoval(
                stock.bean(SaleMapper.class),
                mapper,
                stock.bean(PlatformTransactionManager.class),
                stock.bean(QuantityStocks.class),
                stock.bean(CatalogRelay.class),
                stock.bean(Backlog.class),
                stock.bean(Clock.class));
    }

    private void synthetic() {
        String sale = "{'productId':'" + product + "','stock':9,'synthetic':true}";
        await().atMost(Duration.ofSeconds(10)) // a slow shard is BUSY
                .until(() -> stock.create(sale).status() < 300);
    }

    /** One of everything that a sale leaves: orders, money, return, result, limits, parked. */
    private void sell() {
        String paid = buyers.buy(0, "alice", 1);
        String cancelled = buyers.buy(1, "bob", 1);
        handOver();
        buyers.cancel(cancelled, 1, 1);
        stock.bean(ReturnService.class)
                .settle(List.of(
                        buyers.giveBack(cancelled, 1, "bob", Action.RETURN),
                        buyers.giveBack(Buyers.newId(), 64, "mallory", Action.RETURN)));
        for (String money : MONEY) {
            String columns = money.equals("charge") ? "REPEAT('a', 32), 0, NULL, 1" : "0, 1";
            stock.sql()
                    .update(
                            "INSERT INTO " + money + " SELECT order_sn, " + columns
                                    + " FROM orders WHERE reservation_id = ?",
                            paid);
        }
        try (Jedis control = stock.control.connect()) {
            control.hset(RedisKeys.productLimits(product), Limits.QUOTA_PERCENT, "120");
            control.hset(RedisKeys.result(product, "alice"), paid, "1 " + product);
            control.hset(RedisKeys.result(product, "bob"), cancelled, "2 " + product);
        }
        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.xadd(
                    RedisKeys.parked(product), StreamEntryID.NEW_ENTRY, Map.of("entry_id", "1-1"));
        }
    }

    /** What flash-sale-service does with the entries of the outboxes. */
    /** The background turn may be at it just then: BUSY, and to be asked again. */
    private void awaitRemoved() {
        await().atMost(Duration.ofSeconds(10)).until(() -> remove().status() == 200);
    }

    private void handOver() {
        stock.shards.forEach(shard -> {
            try (Jedis jedis = shard.connect()) {
                jedis.del(RedisKeys.outbox(product));
            }
        });
    }

    private Answer remove() {
        return remove(product);
    }

    private Answer remove(String productId) {
        return stock.send(stock.request("/admin/sales/" + productId)
                .header("Authorization", "Bearer " + Tokens.of("ops"))
                .DELETE());
    }

    /** A turn of the publisher that had just read the sale may write it once more. */
    private void assertNothingIsLeft() {
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(traces.all()).isEmpty());
    }
}
