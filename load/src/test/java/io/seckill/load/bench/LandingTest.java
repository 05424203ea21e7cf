package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LandingTest {

    private static final long SECOND_NS = 1_000_000_000;

    private final Landing landing = new Landing();

    @Test
    void rate_is_of_the_middle_without_the_wait_before_and_the_tail_after() {
        landing.add(0, 500);
        landing.add(9 * SECOND_NS, 500); // the limit was not read before
        landing.add(10 * SECOND_NS, 600);
        landing.add(14 * SECOND_NS, 1_400);
        landing.add(60 * SECOND_NS, 1_500);
        assertThat(landing.count()).isEqualTo(1_000);
        assertThat(landing.perSecond()).isCloseTo(200, within(0.001));
    }

    @Test
    void rate_is_read_between_two_looks() {
        landing.add(0, 0);
        landing.add(10 * SECOND_NS, 1_000);
        assertThat(landing.perSecond()).isCloseTo(100, within(0.001));
    }

    @Test
    void rate_is_read_in_the_middle_of_what_another_saw() {
        Landing other = new Landing();
        other.add(10 * SECOND_NS, 0);
        other.add(20 * SECOND_NS, 1_000);
        landing.add(0, 0);
        landing.add(11 * SECOND_NS, 100); // as the other's middle begins
        landing.add(15 * SECOND_NS, 300);
        landing.add(19 * SECOND_NS, 500);
        landing.add(60 * SECOND_NS, 90_000);
        assertThat(landing.perSecond(other)).isCloseTo(50, within(0.001));
    }

    @Test
    void one_look_has_no_rate() {
        landing.add(5 * SECOND_NS, 1_000);
        assertThat(landing.perSecond()).isNaN();
    }
}
