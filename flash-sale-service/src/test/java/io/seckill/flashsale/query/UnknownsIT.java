package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.shard.Shards;
import io.seckill.testkit.TcpProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Attempts whose outcome nobody knew are found out, by whichever instance is there. */
class UnknownsIT extends Hop {

    private static final Map<String, String> PENDING = Map.of("status", "PENDING");
    private static final Map<String, String> NOTHING_WAS_TAKEN =
            Map.of("status", "REJECTED", "reason", "UNKNOWN_OUTCOME");
    private static final Duration SOON = Duration.ofSeconds(10);

    @Autowired
    private Unknowns unknowns;

    @Autowired
    private ResultStore results;

    @Autowired
    private MeterRegistry registry;

    /** Each is executed once, however often its buyer's attempt was asked again. */
    @Test
    void taken_while_replies_were_lost_is_one_unit_and_pending_until_its_order() throws Exception {
        sell(0, 100, 0);
        List<String> users = IntStream.range(0, 30).mapToObj(i -> userAt(1, i)).toList();
        try (TcpProxy proxy = new TcpProxy(SHARDS.get(1).address())) {
            proxy.open();
            try (Shards proxied = Shards.of("test", addresses(proxy))) {
                QuantityStock shard = new QuantityStocks(proxied).get(1);
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    askWhileRepliesAreLost(proxy, shard, users);
                    return !books(shards.get(1)).buyers().isEmpty();
                });
            }
        }
        users.forEach(user ->
                assertThat(unknowns.unknown(1, wish(user))).succeedsWithin(SOON).isEqualTo(true));

        Map<String, String> buyers = books(shards.get(1)).buyers();
        assertThat(books(shards.get(1)).stock().orElseThrow().deducted()).isEqualTo(buyers.size());
        for (String user : users) {
            boolean has = buyers.containsKey(user);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(result(user).body())
                            .isEqualTo(has ? PENDING : NOTHING_WAS_TAKEN));
        }
        buyers.forEach((user, id) -> results.store(List.of(ordered(id, user))));
        assertThat(result(buyers.keySet().iterator().next()).text("status")).isEqualTo("ORDERED");
        await().atMost(SOON).until(() -> open(1) == 0);
        assertThat(books(shards.get(1)).buyers()).as("nothing was taken since").isEqualTo(buyers);
    }

    /** On a connection that was used just now, for else it is asked for the time first, and lost. */
    private void askWhileRepliesAreLost(TcpProxy proxy, QuantityStock shard, List<String> users) {
        proxy.loseReplies(false);
        await().until(() -> !shard.shard().isLeftOut());
        surely(() -> shard.reserve(wish("first", System.currentTimeMillis() - 1)));
        proxy.loseReplies(true);
        List<CompletableFuture<ReserveOutcome>> asked =
                users.stream().map(user -> shard.reserveAsync(wish(user))).toList();
        assertThat(asked).allSatisfy(one -> await().until(one::isCompletedExceptionally));
    }

    /** No instance can tell while the shard is away; that one is there that did not ask it. */
    @Test
    void pending_is_kept_while_its_shard_is_away_and_told_once_it_is_back() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        SHARDS.get(1).kill();
        try {
            assertThat(unknowns.unknown(1, wish(user))).succeedsWithin(SOON).isEqualTo(true);
            await().atMost(SOON).until(() -> openByGauge(1) == 1);
            await().during(Duration.ofSeconds(2))
                    .atMost(SOON)
                    .until(() -> PENDING.equals(result(user).body()) && open(1) == 1);
            SHARDS.get(1).start();
            await().during(Duration.ofSeconds(2))
                    .atMost(SOON)
                    .until(() -> PENDING.equals(result(user).body()) && open(1) == 1);
        } finally {
            SHARDS.get(1).kill();
            takeBack(1);
        }
        await().atMost(SOON).until(() -> NOTHING_WAS_TAKEN.equals(result(user).body()));
        assertThat(open(1)).isZero();
        await().atMost(SOON).until(() -> openByGauge(1) == 0);
    }

    /** Its buyer is not told NONE, and the end is found out all the same. */
    @Test
    void control_redis_that_lost_everything_is_told_anew_what_is_open() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        SHARDS.get(1).kill();
        try {
            assertThat(unknowns.unknown(1, wish(user))).succeedsWithin(SOON).isEqualTo(true);
            onControl(jedis -> {
                assertThat(jedis.zscore(RedisKeys.unknown(1), member(wish(user))))
                        .isNotNull();
                jedis.flushAll();
            });
            await().atMost(SOON).until(() -> open(1) == 1);
            assertThat(result(user).body()).isEqualTo(PENDING);
        } finally {
            takeBack(1);
        }
        await().atMost(SOON).until(() -> NOTHING_WAS_TAKEN.equals(result(user).body()));
        assertThat(open(1)).isZero();
    }

    /** More than one page of a turn, and all of them in a few seconds. */
    @Test
    void all_that_were_lost_are_told_anew_and_none_that_another_instance_has_settled() {
        sell(5, 5, 5);
        long farMs = System.currentTimeMillis() + 600_000;
        List<Reserve> wishes =
                IntStream.range(0, 250).mapToObj(i -> wish("lost-" + i, farMs)).toList();
        wishes.forEach(wish -> assertThat(unknowns.unknown(1, wish)).succeedsWithin(SOON));
        Reserve settled = wishes.get(0);
        results.store(List.of(ordered(settled.reservationId(), settled.userId())));
        onControl(jedis -> jedis.del(RedisKeys.unknown(1)));
        try {
            await().atMost(SOON).until(() -> open(1) == wishes.size() - 1);
            await().during(Duration.ofSeconds(1)).until(() -> open(1) == wishes.size() - 1);
            onControl(jedis -> assertThat(jedis.zscore(RedisKeys.unknown(1), member(settled)))
                    .isNull());
        } finally {
            wishes.forEach(
                    wish -> results.store(List.of(ordered(wish.reservationId(), wish.userId()))));
            onControl(jedis -> jedis.del(RedisKeys.unknown(1)));
        }
        await().during(Duration.ofSeconds(1)).until(() -> open(1) == 0);
    }

    private String member(Reserve wish) {
        return wish.reservationId() + "|" + product + "|" + wish.userId();
    }

    private double openByGauge(int shard) {
        return registry.get("seckill_unknown_attempts")
                .tag("shard", Integer.toString(shard))
                .gauge()
                .value();
    }

    @Test
    void nothing_is_told_before_the_deadline_by_the_shard_s_clock() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        long deadlineMs = System.currentTimeMillis() + 3_000;
        assertThat(unknowns.unknown(1, wish(user, deadlineMs))).succeedsWithin(SOON);
        await().atMost(SOON).until(() -> !PENDING.equals(result(user).body()));
        assertThat(System.currentTimeMillis()).isGreaterThan(deadlineMs);
        assertThat(result(user).body()).isEqualTo(NOTHING_WAS_TAKEN);
    }

    @Test
    void what_order_service_has_told_stays_though_the_shard_has_nothing() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        Reserve wish = wish(user);
        assertThat(unknowns.unknown(1, wish)).succeedsWithin(SOON);
        results.store(List.of(ordered(wish.reservationId(), user)));
        await().atMost(SOON).until(() -> open(1) == 0);
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
    }

    /** Of a shard whose clock was set back, or that was retired before its event had come. */
    @Test
    void what_order_service_tells_later_replaces_what_was_found_out() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        Reserve wish = wish(user);
        assertThat(unknowns.unknown(1, wish)).succeedsWithin(SOON);
        await().atMost(SOON).until(() -> NOTHING_WAS_TAKEN.equals(result(user).body()));
        results.store(List.of(ordered(wish.reservationId(), user)));
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
    }

    /** None of what a user was told makes room for what nobody knows. */
    @Test
    void no_more_is_kept_of_a_user_than_may_be() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        for (int i = 0; i < ResultStore.MAX_KEPT; i++) {
            results.store(List.of(ordered("%032x".formatted(i), user)));
        }
        assertThat(unknowns.unknown(1, wish(user))).succeedsWithin(SOON).isEqualTo(false);
        onControl(jedis -> assertThat(jedis.hlen(RedisKeys.result(product, user)))
                .isEqualTo(ResultStore.MAX_KEPT));
    }

    @Test
    void attempt_that_can_be_neither_known_nor_remembered_is_busy_without_a_code() {
        sell(5, 5, 5);
        deduct(userAt(1, 1));
        CONTROL.kill();
        signal(SHARDS.get(1), "STOP");
        try {
            Answer answer = deductOnce(userAt(1, 2), "1");
            // Unless its connection was not open: nothing was sent then, and the next shard sold.
            if (answer.status() != 202) {
                assertThat(answer.text("code")).isEqualTo("BUSY");
                assertThat(answer.header(EdgeHeaders.CODE)).isNull();
            }
        } finally {
            signal(SHARDS.get(1), "CONT");
            CONTROL.start();
        }
    }

    @Test
    void no_more_are_kept_than_may_be_and_what_cannot_be_read_is_dropped() {
        sell(5, 5, 5);
        String key = RedisKeys.unknown(2);
        long farMs = System.currentTimeMillis() + 600_000;
        onControl(jedis -> {
            jedis.zadd(key, 1, "no attempt");
            Map<String, Double> open = new HashMap<>();
            for (int i = 0; i < ResultStore.MAX_UNKNOWN; i++) {
                open.put("%032x|%s|u".formatted(i, product), (double) farMs);
            }
            jedis.zadd(key, open);
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> open(2) <= ResultStore.MAX_UNKNOWN);
        String user = userAt(2, 1);
        assertThat(unknowns.unknown(2, wish(user))).succeedsWithin(SOON).isEqualTo(false);
        assertThat(result(user).body()).isEqualTo(Map.of("status", "NONE"));
        onControl(jedis -> jedis.del(key));
        assertThat(unknowns.unknown(2, wish(user))).succeedsWithin(SOON).isEqualTo(true);
        await().atMost(SOON).until(() -> NOTHING_WAS_TAKEN.equals(result(user).body()));
    }

    /** What a hand left in the control Redis. */
    @Test
    void key_of_a_wrong_type_keeps_nobody_else_from_being_told() {
        sell(5, 5, 5);
        String first = userAt(1, 1);
        String second = userAt(1, 2);
        long nowMs = System.currentTimeMillis();
        assertThat(unknowns.unknown(1, wish(first, nowMs + 1_500))).succeedsWithin(SOON);
        assertThat(unknowns.unknown(1, wish(second, nowMs + 1_600))).succeedsWithin(SOON);
        onControl(jedis -> {
            jedis.set(RedisKeys.result(product, first), "no hash");
            jedis.set(RedisKeys.unknown(0), "no list");
        });
        try {
            await().atMost(SOON)
                    .until(() -> NOTHING_WAS_TAKEN.equals(result(second).body()));
            await().atMost(SOON).until(() -> open(1) == 0);
        } finally {
            onControl(jedis -> jedis.del(RedisKeys.unknown(0), RedisKeys.result(product, first)));
        }
    }

    private static List<String> addresses(TcpProxy second) {
        List<String> uris = SHARDS.stream().map(shard -> shard.uri()).collect(Collectors.toList());
        uris.set(1, "redis://" + second.address());
        return uris;
    }

    /** Always the same of a user. */
    private Reserve wish(String user) {
        return wish(user, System.currentTimeMillis() + 800);
    }

    private Reserve wish(String user, long deadlineMs) {
        String id = "%012x%020x".formatted(1_763_719_200_000L, user.hashCode() & 0xffffffffL);
        return new Reserve(id, product, user, 1, false, deadlineMs);
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 1, null);
    }

    private static long open(int shard) {
        long[] open = new long[1];
        onControl(jedis -> open[0] = jedis.zcard(RedisKeys.unknown(shard)));
        return open[0];
    }
}
