package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.quantity.ReserveOutcome.Word;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.testkit.RedisProcess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;

/** "Not done" and "unknown" are told apart, and an unknown asked again is done once. */
class QuantityFaultsIT {

    private RedisProcess redis;
    private Shard node;
    private QuantityStock shard;

    @BeforeEach
    void start() {
        redis = new RedisProcess();
        node = node();
        shard = new QuantityStock(node);
        shard.load(PRODUCT, EPOCH, 5);
        shard.reserve(reserve(0, "nobody", 1, 1)); // teaches the script, takes nothing
    }

    @AfterEach
    void stop() {
        node.close();
        redis.close();
    }

    @Test
    void silent_shard_is_unknown_and_executes_once_however_often_it_is_asked() throws Exception {
        signal("STOP");
        assertThatThrownBy(() -> shard.reserve(reserve(1, "alice", 1)))
                .isInstanceOf(ShardUnknownException.class)
                .hasMessageContaining("shard 0");
        signal("CONT");
        awaitAsked();

        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
        awaitDeducted(1);
        assertThat(shard.books(PRODUCT).outboxLength()).isEqualTo(1);
    }

    /** The fault did bite: without the deadline the same sequence takes a unit. */
    @Test
    void attempt_that_wakes_after_its_deadline_takes_nothing() throws Exception {
        long soon = System.currentTimeMillis() + 250;
        long later = System.currentTimeMillis() + 60_000;
        Reserve late = reserve(1, "alice", 1, soon);
        Reserve patient = reserve(2, "bob", 1, later);
        try (Shard other = node()) {
            QuantityStock second = new QuantityStock(other);
            for (QuantityStock each : List.of(shard, second)) {
                each.reserve(reserve(0, "nobody", 1, 1)); // connects, takes nothing
            }
            signal("STOP");
            CompletableFuture<ReserveOutcome> asked = second.reserveAsync(patient);
            assertThatThrownBy(() -> shard.reserve(late)).isInstanceOf(ShardUnknownException.class);
            assertThatThrownBy(asked::join).hasCauseInstanceOf(ShardUnknownException.class);
            Thread.sleep(200);
            signal("CONT");
        }

        awaitDeducted(1);
        assertThat(shard.books(PRODUCT).buyers()).containsOnlyKeys("bob");
    }

    @Test
    void shard_that_accepts_a_new_connection_and_stays_silent_is_down() throws Exception {
        signal("STOP");
        try (Shard other = node()) {
            QuantityStock fresh = new QuantityStock(other);
            assertThatThrownBy(() -> fresh.reserve(reserve(1, "alice", 1)))
                    .isInstanceOf(ShardDownException.class);
            signal("CONT");
            assertThat(fresh.count(PRODUCT).orElseThrow().deducted()).isZero();
        }
    }

    @Test
    void shard_that_dies_before_its_answer_is_unknown_and_then_down() throws Exception {
        signal("STOP");
        CompletableFuture<ReserveOutcome> asked =
                CompletableFuture.supplyAsync(() -> shard.reserve(reserve(1, "alice", 1)));
        Thread.sleep(50);
        redis.kill();

        assertThatThrownBy(() -> asked.get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ShardUnknownException.class);
        assertThatThrownBy(() -> shard.reserve(reserve(1, "alice", 1)))
                .isInstanceOf(ShardDownException.class);
    }

    @Test
    void restarted_shard_has_what_it_acknowledged_and_learns_its_scripts_again() {
        shard.reserve(reserve(1, "alice", 1));
        redis.kill();
        redis.start();

        // A connection of before may still be in the way: unknown, then gone.
        assertThatThrownBy(() -> shard.count(PRODUCT)).isInstanceOf(ShardUnknownException.class);
        assertThatThrownBy(() -> shard.reserve(reserve(1, "alice", 1)))
                .isInstanceOf(ShardUnknownException.class);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
        assertThat(shard.reserve(reserve(2, "bob", 1)).word()).isEqualTo(Word.GATED);
        assertThat(shard.count(PRODUCT).orElseThrow().deducted()).isEqualTo(1);
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)).word())
                .as("a restart is another process, whose books nobody has verified")
                .isEqualTo(ReturnOutcome.Word.GATED);
    }

    @Test
    void flushed_script_cache_costs_nothing() {
        try (Jedis jedis = redis.connect()) {
            jedis.scriptFlush();
        }
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
        assertThat(shard.count(PRODUCT).orElseThrow().deducted()).isEqualTo(1);
    }

    @Test
    void full_memory_stops_taking_and_not_giving_back() {
        shard.reserve(reserve(1, "alice", 1));
        try (Jedis jedis = redis.connect()) {
            jedis.configSet("maxmemory", "1");
            assertThatThrownBy(() -> shard.reserve(reserve(2, "bob", 1)))
                    .isInstanceOf(ShardDownException.class)
                    .hasMessageContaining("memory");
            assertThat(shard.giveBack(giveBack(1, "alice", RETURN)).word())
                    .isEqualTo(ReturnOutcome.Word.RETURNED);
            assertThat(shard.count(PRODUCT)).contains(new StockCount(5, 5, 1, 1, 0, EPOCH, 1));
            assertThat(shard.books(PRODUCT).reservations()).hasSize(1);
        }
    }

    @Test
    void all_connections_taken_is_down_and_keeps_no_attempt_from_its_own() throws Exception {
        List<Thread> readers = occupyAllConnections();
        assertThatThrownBy(() -> shard.count(PRODUCT)).isInstanceOf(ShardDownException.class);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);

        for (Thread reader : readers) {
            reader.join(5_000);
        }
        assertThat(shard.count(PRODUCT).orElseThrow().deducted()).isEqualTo(1);
    }

    /**
     * Half a second of it; the first rounds only open the connections, slowly on a busy machine.
     */
    private List<Thread> occupyAllConnections() throws InterruptedException {
        try (Jedis jedis = redis.connect()) {
            for (int round = 0; round < 20; round++) {
                List<Thread> readers = IntStream.range(0, 64)
                        .mapToObj(i -> new Thread(this::waitForNothing))
                        .toList();
                readers.forEach(Thread::start);
                for (int i = 0; i < 20; i++) {
                    if (jedis.info("clients").contains("blocked_clients:64")) {
                        return readers;
                    }
                    Thread.sleep(10);
                }
                for (Thread reader : readers) {
                    reader.join(5_000);
                }
            }
        }
        throw new AssertionError("64 connections were never busy at once");
    }

    private void waitForNothing() {
        try {
            node.ask(new CommandArguments(Command.BLPOP).blocking().key("none").add("0.5"));
        } catch (ShardDownException | ShardUnknownException e) {
            // A reader that comes too late to a connection is not needed.
        }
    }

    private Shard node() {
        return new Shard(0, RedisEndpoint.of("test", redis.uri()));
    }

    /** It was left out for its silence. */
    private void awaitAsked() throws InterruptedException {
        for (int i = 0; i < 50 && node.isLeftOut(); i++) {
            Thread.sleep(20);
        }
        assertThat(node.isLeftOut()).isFalse();
    }

    private void awaitDeducted(long units) throws InterruptedException {
        for (int i = 0; i < 20 && shard.count(PRODUCT).orElseThrow().deducted() < units; i++) {
            Thread.sleep(50);
        }
        Thread.sleep(100); // room for one too many
        assertThat(shard.count(PRODUCT).orElseThrow().deducted()).isEqualTo(units);
    }

    private void signal(String name) throws IOException, InterruptedException {
        String pid = Long.toString(redis.pid());
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor())
                .isZero();
    }
}
