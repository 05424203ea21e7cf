package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Loop;
import io.seckill.common.message.Waiting;
import io.seckill.contracts.Json;
import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

class FailFastIT extends RealService {

    private static final int BATCH = 256;
    private static final long HOUR_MS = 3_600_000;
    private static final long DAY_MS = 24 * HOUR_MS;
    private static final int MANY = 1_000_000; // at 500 a second more than half an hour

    @Autowired
    FailFast failFast;

    @Autowired
    Loop backlogLoop;

    @AfterEach
    void looksAgain() {
        failFast.learn(0);
        failFast.learn(0);
        if (!backlogLoop.isRunning()) {
            backlogLoop.start(); // a second thread of it could be stopped by nobody
        }
        setMaxAge("30000");
        setLimit("500");
    }

    @Test
    void of_twenty_thousand_those_that_cannot_make_it_are_rejected_within_seconds() {
        setLimit("500");
        setMaxAge("10000");
        List<String> products =
                IntStream.range(0, 2).mapToObj(n -> sale(10_000)).toList();
        List<Reservation> all = new ArrayList<>();
        products.forEach(product -> all.addAll(reservations(product, 10_000, 0)));
        Metrics before = metrics();
        long startMs = System.currentTimeMillis();
        sendAll(all);
        await().atMost(Duration.ofSeconds(9)).until(() -> published("estimatedWaitMs") > 15_000);
        assertThat(System.currentTimeMillis() - published("atMs")).isLessThan(5_000);

        await().atMost(Duration.ofSeconds(60)).until(() -> rows(products) == all.size());

        long tookMs = System.currentTimeMillis() - startMs;
        Map<String, Object> rejected = sql.queryForMap(
                "SELECT COUNT(*) n, MIN(closed_at_ms) first, MAX(closed_at_ms) last FROM orders"
                        + " WHERE reason = 'BACKLOG' AND product_id IN (?, ?)",
                products.toArray());
        long count = (long) rejected.get("n");
        assertThat((long) rejected.get("first") - startMs)
                .as("none too early")
                .isGreaterThan(9_999);
        assertThat(count).as("what 10 s more could not write").isBetween(5_000L, 11_000L);
        assertThat((long) rejected.get("last") - startMs)
                .as("all within seconds of being late")
                .isLessThan(20_000);
        assertThat(bestSecond(products)).as("rejected").isGreaterThan(500);
        assertThat(all.size() - count)
                .isEqualTo(products.stream()
                        .mapToLong(product -> count(product, "UNPAID"))
                        .sum());
        assertThat(sql.queryForList(
                        "SELECT COUNT(*) FROM orders WHERE status = 'UNPAID'"
                                + " AND product_id IN (?, ?) GROUP BY created_at_ms DIV 1000",
                        Long.class,
                        products.toArray()))
                .allMatch(orders -> orders <= 500);
        assertThat((all.size() - count) * 1_000 / tookMs).as("landing went on").isGreaterThan(300);
        products.forEach(this::assertBooksBalance);
        await().atMost(Duration.ofSeconds(9)).until(() -> published("estimatedWaitMs") == 0);
        await().untilAsserted(() -> assertThat(metrics().objections()).isEmpty());
        assertThat(metrics().sum("seckill_rejected_total") - before.sum("seckill_rejected_total"))
                .isEqualTo(count);
    }

    /** At a limit at which a slow machine can show it, too. */
    @Test
    void late_ones_are_rejected_three_times_as_fast_as_any_may_land() {
        setLimit("200");
        setMaxAge("3000");
        List<String> products = List.of(sale(3_000), sale(3_000));
        List<Reservation> all = new ArrayList<>();
        products.forEach(product -> all.addAll(reservations(product, 3_000, 0)));

        sendAll(all);

        await().atMost(Duration.ofSeconds(60)).until(() -> rows(products) == all.size());
        assertThat(bestSecond(products)).isGreaterThan(3 * 200);
        products.forEach(this::assertBooksBalance);
    }

    /** As another instance tells it; what it tells is never more than was sent. */
    @Test
    void what_others_settled_waits_no_more_as_long_as_the_control_redis_says_so() {
        String product = sale(BATCH);
        setLimit("1");
        backlogLoop.stop();
        sendAll(reservations(product, BATCH, 0));
        await().atMost(Duration.ofSeconds(9)).until(() -> waitMsAtLook() > 100_000);
        try (Jedis redis = REDIS.connect()) {
            assertThat(redis.pttl(RedisKeys.BACKLOG_DONE)).isBetween(29 * DAY_MS, 30 * DAY_MS);
            redis.set(RedisKeys.BACKLOG_DONE, "damaged");
            assertThat(waitMsAtLook()).isGreaterThan(100_000);

            redis.hgetAll(RedisKeys.BACKLOG_DONE)
                    .keySet()
                    .forEach(queue -> redis.hset(RedisKeys.BACKLOG_DONE, queue, "999999999"));
            assertThat(waitMsAtLook()).isZero();
            assertThat(redis.hvals(RedisKeys.BACKLOG_DONE)).doesNotContain("999999999");
            assertThat(waitMsAtLook()).isZero();
        }
        REDIS.kill();
        try {
            assertThatThrownBy(failFast::look).isInstanceOf(JedisException.class);
            assertThat(failFast.estimatedWaitMs()).isGreaterThan(100_000);
        } finally {
            REDIS.start();
        }
        setLimit("500");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> count(product, "UNPAID") + count(product, "REJECTED") == BATCH);
    }

    private long waitMsAtLook() {
        failFast.look();
        return failFast.estimatedWaitMs();
    }

    @Test
    void outage_that_is_over_rejects_nothing_that_can_still_be_written() {
        String product = sale(2 * BATCH);
        pretendWaiting(500 * 29);

        handler.handleWaiting(old(reservations(product, 2 * BATCH, 0)));

        assertThat(count(product, "UNPAID")).isEqualTo(2 * BATCH);
    }

    @Test
    void young_ones_wait_however_many_there_are() {
        String product = sale(BATCH);
        pretendWaiting(MANY);
        handler.handle(reservations(product, BATCH, 0));
        assertThat(count(product, "UNPAID")).isEqualTo(BATCH);
    }

    @Test
    void late_ones_are_rejected_in_bulk_and_a_part_still_lands() {
        String product = sale(BATCH / 2, BATCH / 2);
        List<Reservation> batch = new ArrayList<>(reservations(product, BATCH / 2, 0));
        for (int n = 0; n < BATCH / 2; n++) {
            batch.add(reservation(product, "second-" + n, 1));
        }
        pretendWaiting(MANY);
        setLimit("100000");
        failFast.learn(100 * MANY);
        long before = statements();

        handler.handleWaiting(old(batch));

        assertThat(statements() - before).isLessThan(BATCH / 4);
        assertThat(count(product, "UNPAID")).isEqualTo(FailFast.share(BATCH));
        assertThat(count(product, "REJECTED")).isEqualTo(BATCH - FailFast.share(BATCH));
        assertThat(sql.queryForObject(
                        "SELECT SUM(last_seq) FROM shard_ledger WHERE product_id = ?",
                        Long.class,
                        product))
                .as("the rejected met it too")
                .isEqualTo(highestSeq(batch, 0) + highestSeq(batch, 1));
        assertBooksBalance(product);
    }

    @Test
    void order_that_is_there_stays_one_however_late_its_message_comes_again() {
        String product = sale(3);
        List<Reservation> batch = reservations(product, 3, 0);
        handler.handle(batch);
        pretendWaiting(MANY);

        handler.handleWaiting(old(batch));

        assertThat(count(product, "UNPAID")).isEqualTo(3);
        assertBooksBalance(product);
    }

    @Test
    void buyer_who_was_rejected_goes_before_others_the_next_time() {
        String product = sale(BATCH);
        pretendWaiting(MANY);
        List<Reservation> first = reservations(product, 10, 0);
        handler.handleWaiting(old(first));
        assertThat(count(product, "REJECTED")).isEqualTo(8);
        List<String> rejected = sql.queryForList(
                "SELECT user_id FROM orders WHERE product_id = ? AND status = 'REJECTED'",
                String.class,
                product);
        List<Reservation> second = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
            second.add(reservation(product, "stranger-" + n, 0));
        }
        rejected.forEach(user -> second.add(reservation(product, user, 0)));
        setLimit("500");

        handler.handleWaiting(old(second));

        assertThat(sql.queryForList(
                        "SELECT user_id FROM orders WHERE product_id = ? AND status = 'UNPAID'",
                        String.class,
                        product))
                .containsAll(rejected);
        assertBooksBalance(product);
    }

    /** More of them than may land at once, and others who have waited for a moment only. */
    @Test
    void buyer_who_was_rejected_is_not_rejected_again_while_others_land_who_waited_less() {
        String product = sale(2 * BATCH);
        pretendWaiting(MANY);
        setLimit("500");
        handler.handleWaiting(old(reservations(product, BATCH / 2, 0)));
        List<String> rejected = sql.queryForList(
                "SELECT user_id FROM orders WHERE product_id = ? AND status = 'REJECTED'",
                String.class,
                product);
        assertThat(rejected).hasSizeGreaterThan(FailFast.share(BATCH));
        List<Waiting<Reservation>> second = new ArrayList<>(
                old(rejected.stream().map(user -> reservation(product, user, 0)).toList()));
        for (int n = 0; n < BATCH / 2; n++) {
            Reservation stranger = reservation(product, "stranger-" + n, 0);
            second.add(new Waiting<>(stranger, System.currentTimeMillis()));
        }

        handler.handleWaiting(second);

        assertThat(sql.queryForList(
                        "SELECT user_id FROM orders WHERE product_id = ? AND status = 'REJECTED'"
                                + " GROUP BY user_id HAVING COUNT(*) > 1",
                        String.class,
                        product))
                .as("rejected twice in a row")
                .isEmpty();
        assertBooksBalance(product);
    }

    @Test
    void ones_delivered_twice_at_once_are_decided_once() throws Exception {
        String product = sale(2 * BATCH);
        List<Reservation> batch = reservations(product, BATCH, 0);
        pretendWaiting(MANY);

        atOnce(List.of(handling(batch), handling(batch), handling(batch.subList(0, 100))));

        assertThat(count(product, "UNPAID") + count(product, "REJECTED")).isEqualTo(BATCH);
        assertBooksBalance(product);
    }

    private Callable<Object> handling(List<Reservation> batch) {
        return () -> {
            await().atMost(Duration.ofSeconds(25)).ignoreExceptions().until(() -> {
                handler.handleWaiting(old(batch));
                return true;
            });
            return true;
        };
    }

    /** As if a look had found so many; no look comes in between. */
    private void pretendWaiting(long waiting) {
        backlogLoop.stop();
        failFast.look();
        failFast.learn(waiting);
        failFast.learn(waiting);
    }

    private static List<Waiting<Reservation>> old(List<Reservation> batch) {
        long sinceMs = System.currentTimeMillis() - HOUR_MS;
        return batch.stream().map(r -> new Waiting<>(r, sinceMs)).toList();
    }

    private static long highestSeq(List<Reservation> batch, int shard) {
        return batch.stream()
                .filter(r -> r.shard() == shard)
                .mapToLong(Reservation::seq)
                .max()
                .orElseThrow();
    }

    private long rows(List<String> products) {
        return sql.queryForObject(
                "SELECT COUNT(*) FROM orders WHERE product_id IN (?, ?)",
                Long.class,
                products.toArray());
    }

    private long bestSecond(List<String> products) {
        return sql.queryForObject(
                "SELECT MAX(n) FROM (SELECT COUNT(*) n FROM orders WHERE reason = 'BACKLOG'"
                        + " AND product_id IN (?, ?) GROUP BY closed_at_ms DIV 1000) seconds",
                Long.class,
                products.toArray());
    }

    /** But for the relay's, which deletes row by row what it sent. */
    private long statements() {
        return status("Questions") - status("Com_delete");
    }

    private long status(String name) {
        return sql.queryForObject(
                "SELECT variable_value FROM information_schema.global_status"
                        + " WHERE variable_name = ?",
                Long.class,
                name);
    }

    private static void setMaxAge(String ms) {
        try (Jedis redis = REDIS.connect()) {
            redis.hset(RedisKeys.LIMITS, Limits.ORDER_BACKLOG_MAX_AGE_MS, ms);
        }
    }

    /** -1: nothing is. */
    private static long published(String field) {
        try (Jedis redis = REDIS.connect()) {
            String text = redis.get(RedisKeys.BACKLOG);
            if (text == null) {
                return -1;
            }
            assertThat(redis.pttl(RedisKeys.BACKLOG)).isBetween(1L, 5_000L);
            return ((Number) Json.read(text, Map.class).get(field)).longValue();
        }
    }
}
