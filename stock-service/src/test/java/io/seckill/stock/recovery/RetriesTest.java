package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Placement.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetriesTest {

    private static final Part BAD = new Part("1", 0, 9, 0, 1, 0, State.OPEN);
    private static final Part GOOD = new Part("2", 0, 9, 0, 1, 0, State.OPEN);

    private long nowNs = Long.MAX_VALUE - 1; // a count of nanoseconds may come to its end
    private final Retries retries = new Retries(() -> nowNs);

    @Test
    void part_that_fails_again_and_again_is_due_each_two_seconds_and_the_others_always() {
        List<Long> pausesMs = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            assertThat(retries.isDue(BAD)).isTrue();
            retries.failed(BAD);
            pausesMs.add(untilDueMs());
        }
        assertThat(pausesMs).containsExactly(100L, 200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
    }

    private long untilDueMs() {
        long ms = 0;
        while (!retries.isDue(BAD)) {
            assertThat(retries.isDue(GOOD)).isTrue();
            nowNs += Duration.ofMillis(1).toNanos();
            ms++;
        }
        return ms;
    }

    @Test
    void part_that_worked_or_is_closed_no_more_begins_with_the_shortest_pause() {
        retries.failed(BAD);
        untilDueMs();
        retries.failed(BAD);
        retries.worked(BAD);
        assertThat(retries.isDue(BAD)).isTrue();
        retries.failed(BAD);
        retries.keepOnly(Set.of(BAD.toString()));
        assertThat(retries.isDue(BAD)).isFalse();
        retries.keepOnly(Set.of());
        assertThat(retries.isDue(BAD)).isTrue();
        retries.failed(BAD);
        assertThat(untilDueMs()).isEqualTo(100);
    }
}
