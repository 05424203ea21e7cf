package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.ShardOutcomes.Ending;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What is counted and timed of attempts at shard 1, and at shard 2, which is next to it. */
class ShardOutcomesIT extends Hop {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Autowired
    private MeterRegistry registry;

    private final Map<Integer, Seen> before = new HashMap<>();

    /** What is counted of one shard. */
    private record Seen(long asked, Map<Ending, Long> endings, long timed, double seconds) {

        /** Those above 0. */
        Map<Ending, Long> since(Seen earlier) {
            Map<Ending, Long> more = new EnumMap<>(endings);
            more.replaceAll((ending, count) -> count - earlier.endings.get(ending));
            more.values().removeIf(count -> count == 0);
            return more;
        }
    }

    @BeforeEach
    void look() {
        for (int shard = 0; shard < SHARDS.size(); shard++) {
            before.put(shard, seen(shard));
        }
    }

    @Test
    void attempt_counts_at_each_shard_it_comes_to_by_how_it_ended_there() {
        sell(5, 1, 5);
        deduct(userAt(1, 1));
        deduct(userAt(1, 1));
        deduct(userAt(1, 2));
        assertThat(since(1))
                .isEqualTo(
                        Map.of(Ending.TAKEN, 1L, Ending.ALREADY_BOUGHT, 1L, Ending.SOLD_OUT, 1L));
        assertThat(since(2)).isEqualTo(Map.of(Ending.TAKEN, 1L));
        assertThat(since(0)).isEmpty();
        assertTimed(1, 3);
        assertTimed(2, 1);
    }

    @Test
    void what_a_hung_shard_leaves_unknown_is_timed_and_what_was_not_sent_is_not() {
        sell(5, 5, 5);
        deduct(userAt(1, 1));
        signal(SHARDS.get(1), "STOP");
        try {
            CompletableFuture<Answer> asked =
                    CompletableFuture.supplyAsync(() -> deductOnce(userAt(1, 2), "1"));
            awaitTrue(() -> shards.get(1).shard().isLeftOut());
            AtomicInteger users = new AtomicInteger(2);
            awaitTrue(
                    () -> { // one may be a probe's, which does not know either
                        deductOnce(userAt(1, users.incrementAndGet()), "1");
                        return since(1).containsKey(Ending.LEFT_OUT);
                    });
            assertThat(asked).succeedsWithin(SOON);
        } finally {
            signal(SHARDS.get(1), "CONT");
        }
        Map<Ending, Long> since = since(1);
        assertThat(since).containsEntry(Ending.TAKEN, 1L).containsKey(Ending.UNKNOWN);
        assertTimed(1, 1 + since.get(Ending.UNKNOWN));
        assertThat(seen(1).seconds() - before.get(1).seconds())
                .isGreaterThan(0.9 * since.get(Ending.UNKNOWN));
    }

    /** And as many have ended as came. */
    private void assertTimed(int shard, long count) {
        Seen now = seen(shard);
        assertThat(now.timed() - before.get(shard).timed()).isEqualTo(count);
        assertThat(now.asked())
                .isEqualTo(now.endings().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
    }

    private static void awaitTrue(BooleanSupplier question) {
        await().pollInterval(Duration.ofMillis(10)).until(question::getAsBoolean);
    }

    private Map<Ending, Long> since(int shard) {
        return seen(shard).since(before.get(shard));
    }

    private Seen seen(int shard) {
        String label = Integer.toString(shard);
        Map<Ending, Long> endings = new EnumMap<>(Ending.class);
        for (Ending ending : Ending.values()) {
            endings.put(
                    ending,
                    count(
                            "seckill_shard_outcomes_total",
                            "shard",
                            label,
                            "outcome",
                            ending.name()));
        }
        Timer times = registry.get("seckill_shard_attempt_seconds")
                .tag("shard", label)
                .timer();
        return new Seen(
                count("seckill_shard_asked_total", "shard", label),
                endings,
                times.count(),
                times.totalTime(TimeUnit.SECONDS));
    }

    private long count(String name, String... tags) {
        return (long) registry.get(name).tags(tags).counter().count();
    }
}
