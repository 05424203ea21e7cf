package io.seckill.load.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TallyTest {

    private final Tally tally = new Tally();

    @Test
    void two_of_a_hundred_that_left_late_are_the_generators_limit_however_many_answers_came() {
        leave(98, 0);
        leave(2, 60_000_000);
        for (int i = 0; i < 10_000; i++) {
            tally.add(new Traffic.Answer(i, 200, "PENDING", 0, 1));
        }
        assertThat(tally.generatorWasTheLimit()).isTrue();
    }

    @Test
    void one_of_a_hundred_that_left_late_is_no_limit() {
        leave(99, 40_000_000);
        leave(1, 60_000_000);
        assertThat(tally.generatorWasTheLimit()).isFalse();
    }

    private void leave(int count, long lateNs) {
        for (int i = 0; i < count; i++) {
            tally.late(lateNs);
        }
    }
}
