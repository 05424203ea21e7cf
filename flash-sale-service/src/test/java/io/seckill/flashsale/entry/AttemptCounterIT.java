package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.flashsale.Hop;
import io.seckill.testkit.Metrics;
import java.net.http.HttpRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class AttemptCounterIT extends Hop {

    private static final String ATTEMPTS = "seckill_attempts_total";

    @Autowired
    private MeterRegistry registry;

    private final Map<String, Long> told = new ConcurrentHashMap<>();
    private final AtomicInteger newcomers = new AtomicInteger();

    @Test
    void every_attempt_of_a_mixed_crowd_ends_in_one_counter_though_a_shard_is_killed()
            throws Exception {
        Map<String, Long> before = counted();
        crowd(() -> deductOnce("early", "1"), 20);
        sell(Map.of("start_at_ms", "9999999999999", "end_at_ms", "99999999999999"), 1, 1, 1);
        crowd(() -> deductOnce("early", "1"), 20);
        sell(Map.of("start_at_ms", "1", "end_at_ms", "2"), 1, 1, 1);
        crowd(() -> deductOnce("late", "1"), 20);
        sell(20, 20, 1);
        crowd(() -> deductOnce("greedy", "1"), 20);
        crowd(() -> deductOnce("alice", "none"), 20);
        crowd(() -> send(request("deduct", "nobody").POST(HttpRequest.BodyPublishers.noBody())), 5);
        SHARDS.get(0).kill();
        try {
            crowd(this::newcomer, 100);
        } finally {
            takeBack(0);
        }
        await().until(() -> told(newcomer()) != 503);
        crowd(this::newcomer, 100);

        assertThat(told)
                .as("vacuous unless every ending was met")
                .containsKeys(
                        "ACCEPTED",
                        "NO_SUCH_SALE",
                        "NOT_STARTED",
                        "ENDED",
                        "ALREADY_BOUGHT",
                        "BAD_REQUEST",
                        "BUSY",
                        "SOLD_OUT");
        await().untilAsserted(() -> assertThat(since(before)).isEqualTo(withTotal(told)));
        await().untilAsserted(() -> assertThat(
                        Metrics.of("flash-sale", uri("/actuator/prometheus")).objections())
                .as("once what is unknown was asked for")
                .isEmpty());
    }

    @Test
    void other_routes_are_no_attempts() {
        sell(1, 1, 1);
        Map<String, Long> before = counted();
        path("alice");
        result("alice");
        assertThat(counted()).isEqualTo(before);
    }

    /** A user who has not been here before. */
    private Answer newcomer() {
        return deductOnce("newcomer-" + newcomers.getAndIncrement(), "1");
    }

    private void crowd(Supplier<Answer> attempt, int count) throws InterruptedException {
        ExecutorService crowd = Executors.newFixedThreadPool(10);
        for (int i = 0; i < count; i++) {
            crowd.execute(() -> told(attempt.get()));
        }
        crowd.shutdown();
        assertThat(crowd.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    private int told(Answer answer) {
        told.merge(answer.text("code"), 1L, Long::sum);
        return answer.status();
    }

    private Map<String, Long> since(Map<String, Long> before) {
        Map<String, Long> counts = counted();
        counts.replaceAll((code, count) -> count - before.getOrDefault(code, 0L));
        counts.values().removeIf(count -> count == 0);
        return counts;
    }

    private static Map<String, Long> withTotal(Map<String, Long> told) {
        Map<String, Long> all = new HashMap<>(told);
        all.put(ATTEMPTS, told.values().stream().mapToLong(Long::longValue).sum());
        return all;
    }

    /** What the service has counted: per code, and all attempts. */
    private Map<String, Long> counted() {
        Map<String, Long> counts = new HashMap<>();
        for (Counter counter : registry.find("seckill_refused_total").counters()) {
            counts.put(counter.getId().getTag("code"), (long) counter.count());
        }
        counts.put(ATTEMPTS, (long) registry.get(ATTEMPTS).counter().count());
        counts.put("ACCEPTED", (long)
                registry.get("seckill_accepted_total").counter().count());
        counts.put("PENDING", (long)
                registry.get("seckill_pending_total").counter().count());
        return counts;
    }
}
