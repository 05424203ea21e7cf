package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.ProcessHop;
import io.seckill.testkit.ServiceProcess;
import io.seckill.testkit.TcpProxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.SmartLifecycle;

/**
 * The packaged service told its buyers PENDING and is killed; the next process finds out, with no
 * help from the instance of the other tests.
 */
class UnknownsProcessIT extends ProcessHop {

    private static final int SICK = 1;
    private static final Map<String, String> PENDING = Map.of("status", "PENDING");
    private static final Map<String, String> NOTHING_WAS_TAKEN =
            Map.of("status", "REJECTED", "reason", "UNKNOWN_OUTCOME");

    @TempDir
    private Path folder;

    @Autowired
    @Qualifier("unknownsLoop")
    private SmartLifecycle unknownsHere;

    @Autowired
    private ResultStore results;

    @BeforeEach
    void stopHere() {
        unknownsHere.stop();
    }

    @AfterEach
    void startHere() {
        unknownsHere.start();
    }

    /** Of two whose answers are lost one has the last unit. */
    @Test
    void attempts_of_a_killed_process_are_found_out_by_the_next_once_their_shard_is_back()
            throws Exception {
        sell(0, 2, 0);
        String first = userAt(SICK, 0);
        String second = userAt(SICK, 1);
        String third = userAt(SICK, 2);
        try (TcpProxy proxy = new TcpProxy(SHARDS.get(SICK).address())) {
            proxy.open();
            Map<String, String> settings = Map.of("SECKILL_SHARDS", addresses(proxy));
            String id;
            try (ServiceProcess killed = start(folder, settings)) {
                id = pending(killed, proxy, first, second);
                pending(killed, proxy, first, third);
                killed.kill();
            }
            assertThat(books(shards.get(SICK)).buyers())
                    .containsOnlyKeys(first, second)
                    .containsEntry(second, id);
            assertThat(open()).isEqualTo(2);

            try (ServiceProcess next = launch(folder, settings)) {
                awaitResult(next, second, PENDING);
                awaitResult(next, third, PENDING);
                proxy.loseReplies(false);
                awaitResult(next, third, NOTHING_WAS_TAKEN);
                assertThat(open()).as("its order is to come").isEqualTo(1);
                results.store(List.of(ordered(id, second)));
                await().atMost(SOON).until(() -> open() == 0);
                await().until(() -> "ORDERED".equals(ask(next, "result", second).text("status")));
            }
        }
        assertThat(holders()).containsExactlyInAnyOrder(first, second);
    }

    /** On a connection that was used just now: else it is asked for the time, and sent nothing. */
    private String pending(ServiceProcess service, TcpProxy proxy, String first, String user) {
        return await().atMost(SOON)
                .until(
                        () -> {
                            proxy.loseReplies(false);
                            await().until(() -> !isUntold(attempt(service, first)));
                            proxy.loseReplies(true);
                            return attempt(service, user);
                        },
                        answer -> "PENDING".equals(answer.text("code")))
                .text("reservationId");
    }

    private void awaitResult(ServiceProcess service, String user, Map<String, String> result) {
        await().atMost(SOON).until(() -> ask(service, "result", user).body().equals(result));
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 1, null);
    }

    /** Of this sale, on the shard whose answers were lost. */
    private long open() {
        long[] open = new long[1];
        onControl(jedis -> open[0] = jedis.zrange(RedisKeys.unknown(SICK), 0, -1).stream()
                .filter(member -> member.contains("|" + product + "|"))
                .count());
        return open[0];
    }

    private static String addresses(TcpProxy proxy) {
        Stream<String> uris = SHARDS.stream()
                .map(shard ->
                        shard == SHARDS.get(SICK) ? "redis://" + proxy.address() : shard.uri());
        return uris.collect(Collectors.joining(","));
    }
}
