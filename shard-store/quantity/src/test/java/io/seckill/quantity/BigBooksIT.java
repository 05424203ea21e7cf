package io.seckill.quantity;

import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.shard.Shard;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The books of a sale too big for one answer, and of one that does not stand still. */
class BigBooksIT {

    private static final int SOLD = 50_000;

    private RedisProcess redis;
    private Shard node;
    private QuantityStock shard;
    private final AtomicBoolean over = new AtomicBoolean();

    @BeforeEach
    void start() {
        redis = new RedisProcess();
        node = new Shard(0, RedisEndpoint.of("test", redis.uri()), Duration.ofSeconds(5));
        shard = new QuantityStock(node);
    }

    @AfterEach
    void stop() {
        node.close();
        redis.close();
    }

    @Test
    void books_of_a_big_sale_are_complete_and_others_are_served_meanwhile() throws Exception {
        sell(SOLD);
        assertThat(pages()).isGreaterThan(2 * SOLD / 2_000);
        CompletableFuture<Long> slowestMs = CompletableFuture.supplyAsync(this::slowestPingMs);

        Books books = shard.books(PRODUCT);
        over.set(true);

        assertThat(slowestMs.get(10, TimeUnit.SECONDS)).isPositive().isLessThan(100);
        assertThat(books.reservations())
                .hasSize(SOLD)
                .containsEntry(id(1), new Kept(State.R, "user-1", 1, 7, EPOCH, 1))
                .containsEntry(id(SOLD), new Kept(State.R, "user-" + SOLD, 1, 7, EPOCH, SOLD));
        assertThat(books.buyers()).hasSize(SOLD).containsEntry("user-1", id(1));
        assertThat(books.stock().orElseThrow().deducted()).isEqualTo(SOLD);
    }

    /** One buyer who takes and gives back until it is over: read again, but not for ever. */
    @Test
    void books_that_move_are_read_again_at_most_five_times_and_balance_once_quiet()
            throws Exception {
        sell(5_000);
        long once = pages();
        CompletableFuture<Integer> turns = CompletableFuture.supplyAsync(this::takeAndGiveBack);
        long most = 0;
        for (int tries = 0; tries < 50 && most < 2 * once; tries++) {
            most = Math.max(most, pages());
        }
        over.set(true);

        assertThat(turns.get(10, TimeUnit.SECONDS)).as("it did move").isPositive();
        assertThat(most).isBetween(2 * once, 6 * once);
        Books quiet = shard.books(PRODUCT);
        StockCount count = quiet.stock().orElseThrow();
        assertThat(quiet.buyers()).hasSize(5_000);
        assertThat(count.deducted() - count.returned() - count.burned()).isEqualTo(5_000);
        assertThat(quiet.reservations()).hasSize(5_000 + (int) count.returned());
        assertThat(quiet.outboxLength()).isEqualTo(count.returned());
    }

    /** How many pages one reading takes, as Redis counts them. */
    private long pages() {
        try (Jedis jedis = redis.connect()) {
            jedis.configResetStat();
            shard.books(PRODUCT);
            return jedis.info("commandstats")
                    .lines()
                    .filter(line -> line.startsWith("cmdstat_hscan:calls="))
                    .mapToLong(line -> Long.parseLong(line.split("[=,]")[1]))
                    .sum();
        }
    }

    /** What so many reservations leave behind, written at once to save the test's time. */
    private void sell(int units) {
        Map<String, String> kept = new HashMap<>();
        Map<String, String> buyers = new HashMap<>();
        for (int i = 1; i <= units; i++) {
            kept.put(id(i), "R|user-" + i + "|1|7|1|" + i);
            buyers.put("user-" + i, id(i));
        }
        shard.load(PRODUCT, EPOCH, 10);
        try (Jedis jedis = redis.connect()) {
            jedis.hset(RedisKeys.reservations(PRODUCT), kept);
            jedis.hset(RedisKeys.buyers(PRODUCT), buyers);
            jedis.hset(
                    RedisKeys.stock(PRODUCT),
                    Map.of(
                            "init",
                            Integer.toString(units + 10),
                            "deducted",
                            Integer.toString(units),
                            "seq",
                            Integer.toString(units)));
        }
    }

    /** At least 1, so that no ping at all would show. */
    private long slowestPingMs() {
        long slowestNs = 0;
        try (Jedis jedis = redis.connect()) {
            while (!over.get()) {
                long sentNs = System.nanoTime();
                jedis.ping();
                slowestNs = Math.max(slowestNs, System.nanoTime() - sentNs);
            }
        }
        return slowestNs == 0 ? 0 : 1 + TimeUnit.NANOSECONDS.toMillis(slowestNs);
    }

    private int takeAndGiveBack() {
        int id = SOLD;
        while (!over.get()) {
            id++;
            shard.reserve(reserve(id, "mover", 1));
            shard.giveBack(giveBack(id, "mover", Action.RETURN));
        }
        return id - SOLD;
    }
}
