package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.SkewedClock;
import io.seckill.testkit.TcpProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** Calls travel together and each ends by itself, on real shards. */
class PipelineIT {

    private static final Script COUNT =
            Script.of("redis.call('INCR', KEYS[1]); return {ARGV[1], 'counted'}");
    private static final Script FAIL = Script.of("return redis.error_reply('DAMAGED ' .. ARGV[1])");
    private static final String KEY = "counter";
    private static final long PAUSE_MS = 150; // longer than a connection counts as fresh

    private RedisProcess redis;
    private Shard shard;

    @BeforeEach
    void start() {
        redis = new RedisProcess();
        shard = new Shard(0, RedisEndpoint.of("test", redis.uri()));
    }

    @AfterEach
    void stop() {
        shard.close();
        redis.close();
    }

    @Test
    void crowd_of_calls_is_read_by_the_shard_in_few_pieces_and_each_gets_its_own_reply()
            throws Exception {
        count("first");
        long readsBefore = reads();
        List<CompletableFuture<Object>> replies =
                IntStream.range(0, 1_000).mapToObj(i -> countAsync("call " + i)).toList();
        for (int i = 0; i < replies.size(); i++) {
            assertThat(replies.get(i).get(5, TimeUnit.SECONDS))
                    .isEqualTo(List.of("call " + i, "counted"));
        }
        assertThat(counted()).isEqualTo(1_001);
        assertThat(reads() - readsBefore).isLessThan(300);
    }

    @Test
    void error_is_the_end_of_its_own_call_alone() throws Exception {
        CompletableFuture<Object> before = countAsync("before");
        CompletableFuture<Object> bad = shard.runAsync(FAIL, List.of(KEY), List.of("here"));
        CompletableFuture<Object> after = countAsync("after");
        assertThat(before.get(5, TimeUnit.SECONDS)).isEqualTo(List.of("before", "counted"));
        assertThat(after.get(5, TimeUnit.SECONDS)).isEqualTo(List.of("after", "counted"));
        assertEnds(bad, ShardDownException.class, "DAMAGED here");
    }

    @Test
    void script_that_the_shard_forgets_is_taught_again_and_runs_once() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(count("call")).isEqualTo(List.of("call", "counted"));
            try (Jedis jedis = redis.connect()) {
                jedis.scriptFlush();
            }
        }
        assertThat(counted()).isEqualTo(3);
    }

    /** As a promoted replica does, while the old master lives and serves whom it has. */
    @Test
    void server_that_took_over_the_address_is_asked_once_connections_are_renewed()
            throws Exception {
        try (RedisProcess other = new RedisProcess();
                Jedis old = redis.connect();
                Jedis next = other.connect()) {
            String port = redis.address().replaceFirst(".*:", "");
            old.set("who", "old");
            next.set("who", "next");
            count("first");
            ask();
            old.configSet("port", "0");
            next.configSet("port", port);
            count("second");
            assertThat(old.get(KEY)).isEqualTo("2");
            assertThat(ask()).isEqualTo("old");
            shard.renew();
            count("third");
            assertThat(next.get(KEY)).isEqualTo("1");
            assertThat(ask()).isEqualTo("next");
            assertThat(old.get(KEY)).isEqualTo("2");
        }
    }

    /** Nobody says so here, and it is in use all the time. */
    @Test
    void old_connection_is_left_for_whoever_serves_the_address() throws Exception {
        try (RedisProcess other = new RedisProcess();
                Jedis old = redis.connect();
                Jedis next = other.connect()) {
            old.set("who", "old");
            next.set("who", "next");
            count("first");
            ask();
            old.configSet("port", "0");
            next.configSet("port", redis.address().replaceFirst(".*:", ""));
            await().atMost(Connections.MAX_AGE.multipliedBy(2))
                    .pollInterval(Duration.ofMillis(50))
                    .ignoreExceptions()
                    .until(() -> {
                        count("more");
                        return ask().equals("next") && next.exists(KEY);
                    });
        }
    }

    private Object ask() {
        return shard.ask(new CommandArguments(Protocol.Command.GET).key("who"));
    }

    @Test
    void hung_shard_leaves_what_was_sent_unknown_and_refuses_what_waits() throws Exception {
        count("first");
        signal("STOP");
        CompletableFuture<Object> sent = countAsync("sent"); // at once: the connection is fresh
        Thread.sleep(50);
        CompletableFuture<Object> waiting = countAsync("waiting");
        assertEnds(sent, ShardUnknownException.class, "shard 0");
        assertEnds(waiting, ShardDownException.class, "shard 0");
        signal("CONT");
        awaitServed();
        assertThat(count("later")).isEqualTo(List.of("later", "counted"));
        assertThat(counted()).as("first, sent, later").isEqualTo(3);
    }

    private void awaitServed() {
        await().until(() -> !shard.isLeftOut());
    }

    @Test
    void who_comes_while_a_hung_shard_is_left_out_is_refused_at_once_and_one_question_asks_it()
            throws Exception {
        count("first");
        signal("STOP");
        assertEnds(countAsync("sent"), ShardUnknownException.class, "shard 0");
        assertThat(shard.isLeftOut()).isTrue();
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        int refused = 0;
        while (System.nanoTime() < untilNs) {
            CompletableFuture<Object> call = countAsync("while it is out");
            assertThat(call).as("call %s", refused).isCompletedExceptionally();
            assertEnds(call, ShardDownException.class, "shard 0");
            refused++;
            Thread.sleep(1);
        }
        signal("CONT");
        awaitServed();
        try (Jedis jedis = redis.connect()) {
            Matcher found = Pattern.compile("total_connections_received:(\\d+)")
                    .matcher(jedis.info("stats"));
            assertThat(found.find()).isTrue();
            assertThat(Long.parseLong(found.group(1)))
                    .as("some of the test, and a question each 300 ms, for %s calls", refused)
                    .isLessThan(12);
        }
        assertThat(count("later")).isEqualTo(List.of("later", "counted"));
        assertThat(counted()).as("first, sent, later").isEqualTo(3);
    }

    @Test
    void clock_of_the_shard_is_known_within_a_second_though_nobody_asks() throws Exception {
        try (SkewedClock ahead = new SkewedClock(redis.address())) {
            ahead.setAhead(Duration.ofSeconds(5));
            ahead.open();
            try (Shard skewed = new Shard(0, endpoint(ahead))) {
                await().atMost(Duration.ofSeconds(5)).until(() -> aheadMs(skewed) > 4_000);
                assertThat(aheadMs(skewed)).isBetween(4_900L, 5_100L);
                ahead.setAhead(Duration.ofSeconds(-5));
                await().atMost(Duration.ofSeconds(5)).until(() -> aheadMs(skewed) < -4_000);
                assertThat(aheadMs(skewed)).isBetween(-5_100L, -4_900L);
            }
        }
    }

    private static long aheadMs(Shard shard) {
        return shard.clock().millis() - System.currentTimeMillis();
    }

    private static RedisEndpoint endpoint(TcpProxy proxy) {
        return RedisEndpoint.of("test", "redis://" + proxy.address());
    }

    /** They are executed, and nobody hears of it: asked again with other words they would count. */
    @Test
    void lost_replies_leave_each_call_unknown_and_executed_once() throws Exception {
        try (TcpProxy proxy = new TcpProxy(redis.address())) {
            proxy.open();
            try (Shard behind = new Shard(0, endpoint(proxy))) {
                behind.runAsync(COUNT, List.of(KEY), List.of("first")).get(5, TimeUnit.SECONDS);
                proxy.loseReplies(true);
                CompletableFuture<Object> lost =
                        behind.runAsync(COUNT, List.of(KEY), List.of("lost"));
                assertEnds(lost, ShardUnknownException.class, "shard 0");
                await().during(Duration.ofMillis(500)).until(() -> counted() == 2);
                proxy.loseReplies(false);
                await().until(() -> !behind.isLeftOut());
                assertThat(counted()).isEqualTo(2);
            }
        }
    }

    @Test
    void full_queue_refuses_at_once_and_serves_again_when_the_shard_does() throws Exception {
        count("first");
        signal("STOP");
        try {
            List<CompletableFuture<Object>> asked = new ArrayList<>();
            do {
                asked.add(countAsync("call"));
                assertThat(asked).as("calls without an end").hasSizeLessThan(1_000_000);
            } while (!isRefused(asked.get(asked.size() - 1)));
            CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                    .handle((all, failure) -> failure)
                    .get(2, TimeUnit.SECONDS);
        } finally {
            signal("CONT");
        }
        awaitServed();
        assertThat(count("later")).isEqualTo(List.of("later", "counted"));
    }

    private static boolean isRefused(CompletableFuture<Object> call) {
        return call.handle((reply, failure) -> failure instanceof ShardFullException)
                .getNow(false);
    }

    @Test
    void dead_shard_is_down_and_answers_again_after_its_restart() throws Exception {
        count("first");
        redis.kill();
        Thread.sleep(PAUSE_MS);
        assertEnds(countAsync("on a dead connection"), ShardDownException.class, "shard 0");
        assertEnds(countAsync("without one"), ShardDownException.class, "shard 0");
        redis.start();
        assertThat(count("later")).isEqualTo(List.of("later", "counted"));
        assertThat(counted()).isEqualTo(2);
    }

    @Test
    void shard_that_restarted_in_a_pause_is_asked_on_a_new_connection() throws Exception {
        count("first");
        redis.kill();
        redis.start();
        Thread.sleep(PAUSE_MS);
        assertThat(count("later")).isEqualTo(List.of("later", "counted"));
        assertThat(counted()).isEqualTo(2);
    }

    @Test
    void closed_shard_answers_nobody_and_leaves_nobody_waiting() {
        shard.close();
        assertEnds(countAsync("late"), ShardDownException.class, "closed");
    }

    private Object count(String what) throws Exception {
        return countAsync(what).get(5, TimeUnit.SECONDS);
    }

    private CompletableFuture<Object> countAsync(String what) {
        return shard.runAsync(COUNT, List.of(KEY), List.of(what));
    }

    private static void assertEnds(
            CompletableFuture<Object> call, Class<? extends Exception> as, String saying) {
        assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(as)
                .hasMessageContaining(saying);
    }

    private long counted() {
        try (Jedis jedis = redis.connect()) {
            return Long.parseLong(jedis.get(KEY));
        }
    }

    /** How often the shard has read from a client: once for all that lay there. */
    private long reads() {
        try (Jedis jedis = redis.connect()) {
            Matcher found =
                    Pattern.compile("total_reads_processed:(\\d+)").matcher(jedis.info("stats"));
            assertThat(found.find()).isTrue();
            return Long.parseLong(found.group(1));
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        String pid = Long.toString(redis.pid());
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor())
                .isZero();
    }
}
