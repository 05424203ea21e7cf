package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShardClockTest {

    private static final long AHEAD_MS = 5_000;
    private static final long START_NS = -7; // nanoTime is any number

    private final ShardClock clock = new ShardClock();

    @Test
    void host_s_clock_is_believed_until_the_shard_was_heard() {
        long beforeMs = System.currentTimeMillis();
        assertThat(clock.millis()).isBetween(beforeMs, System.currentTimeMillis());
    }

    @Test
    void time_goes_on_from_what_the_shard_said_half_way_through_the_round_trip() {
        clock.heard(us(AHEAD_MS), START_NS, START_NS + ns(4));
        assertThat(clock.millisAt(START_NS + ns(2))).isEqualTo(AHEAD_MS);
        assertThat(clock.millisAt(START_NS + ns(1_002))).isEqualTo(AHEAD_MS + 1_000);
    }

    @Test
    void slow_round_trip_does_not_replace_a_quick_one_that_it_agrees_with() {
        clock.heard(us(0), START_NS, START_NS + ns(2));
        clock.heard(us(1_000), START_NS + ns(1_001), START_NS + ns(1_181)); // 90 ms too much
        assertThat(clock.millisAt(START_NS + ns(2_001))).isEqualTo(2_000);
    }

    @Test
    void quick_round_trip_replaces_a_slow_one() {
        clock.heard(us(90), START_NS, START_NS + ns(20));
        clock.heard(us(1_085), START_NS + ns(1_000), START_NS + ns(1_002));
        assertThat(clock.millisAt(START_NS + ns(2_001))).isEqualTo(2_085);
    }

    @Test
    void clock_that_was_set_is_believed_at_once_either_way() {
        clock.heard(us(10_000), START_NS, START_NS + ns(2));
        clock.heard(us(16_000), START_NS + ns(1_000), START_NS + ns(1_100));
        assertThat(clock.millisAt(START_NS + ns(1_050))).isEqualTo(16_000);
        clock.heard(us(12_000), START_NS + ns(2_000), START_NS + ns(2_150));
        assertThat(clock.millisAt(START_NS + ns(2_075))).isEqualTo(12_000);
    }

    /** Drift: after minutes a less exact reading is worth more than an exact old one. */
    @Test
    void old_reading_gives_way_to_a_less_exact_one() {
        clock.heard(us(0), START_NS, START_NS + ns(2));
        long minuteMs = 60_000;
        clock.heard(us(minuteMs + 20), START_NS + ns(minuteMs), START_NS + ns(minuteMs + 40));
        assertThat(clock.millisAt(START_NS + ns(minuteMs + 20))).isEqualTo(minuteMs + 20);
    }

    private static long us(long ms) {
        return TimeUnit.MILLISECONDS.toMicros(ms);
    }

    private static long ns(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
