package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.ShardOutcomes.Silence;
import io.seckill.quantity.ReserveOutcome.Word;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What is counted and timed of attempts at shard 1, and at shard 2, which is next to it. */
class ShardOutcomesIT extends Hop {

    @Autowired
    private MeterRegistry registry;

    private final Map<Integer, Seen> before = new HashMap<>();

    /** What is counted of one shard. */
    private record Seen(long asked, Map<String, Long> endings, long timed, double seconds) {

        /** Those above 0. */
        Map<String, Long> since(Seen earlier) {
            Map<String, Long> more = new HashMap<>(endings);
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
        assertThat(since(1)).isEqualTo(Map.of("TAKEN", 1L, "ALREADY_BOUGHT", 1L, "SOLD_OUT", 1L));
        assertThat(since(2)).isEqualTo(Map.of("TAKEN", 1L));
        assertThat(since(0)).isEmpty();
        assertTimed(1, 3);
        assertTimed(2, 1);
    }

    @Test
    void what_a_hung_shard_leaves_unknown_is_timed_and_what_was_not_sent_is_not() {
        sell(5, 5, 5);
        deduct(userAt(1, 1));
        AtomicInteger users = new AtomicInteger(1);
        Runnable one = () -> deductOnce(userAt(1, users.incrementAndGet()), "1");
        awaitTrue(
                () -> { // again where its connection was closed before the attempt was sent
                    awaitTrue(() -> !shards.get(1).shard().isLeftOut());
                    signal(SHARDS.get(1), "STOP");
                    try {
                        one.run();
                        one.run();
                    } finally {
                        signal(SHARDS.get(1), "CONT");
                    }
                    return since(1).keySet().containsAll(Set.of("UNKNOWN", "LEFT_OUT"));
                });
        Map<String, Long> since = since(1);
        assertThat(since).containsEntry("TAKEN", 1L);
        assertTimed(1, 1 + since.get("UNKNOWN"));
        assertThat(seen(1).seconds() - before.get(1).seconds())
                .isGreaterThan(0.9 * since.get("UNKNOWN"));
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

    private Map<String, Long> since(int shard) {
        return seen(shard).since(before.get(shard));
    }

    private Seen seen(int shard) {
        String label = Integer.toString(shard);
        Map<String, Long> endings = new HashMap<>();
        Stream.concat(Stream.of(Word.values()), Stream.of(Silence.values()))
                .map(Enum::name)
                .forEach(name -> endings.put(
                        name,
                        count("seckill_shard_outcomes_total", "shard", label, "outcome", name)));
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
