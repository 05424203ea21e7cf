package io.seckill.load.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.client.Traffic.Answer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimedTest {

    private static final long SECOND_NS = 1_000_000_000;

    private final AtomicLong nowNs = new AtomicLong(5);
    private final Timed timed = new Timed(new Repeated(100, number -> new byte[0]), 2, nowNs::get);

    @Test
    void nothing_new_is_sent_when_the_time_is_over() {
        timed.request(0);
        timed.request(1);
        assertThat(timed.size()).isEqualTo(100);
        nowNs.addAndGet(2 * SECOND_NS);
        assertThat(timed.size()).isEqualTo(2);
        assertThat(timed.lasted()).isTrue();
    }

    @Test
    void accepted_counts_in_its_second_and_after_the_last_in_none() {
        timed.request(0);
        accepted();
        nowNs.addAndGet(SECOND_NS + 1);
        accepted();
        accepted();
        nowNs.addAndGet(SECOND_NS);
        accepted();
        assertThat(timed.acceptedInSecond()).containsExactly(1, 2);
        assertThat(timed.acceptedPerSecond()).isEqualTo(1.5);
    }

    @Test
    void running_out_of_requests_is_seen() {
        for (int i = 0; i < 100; i++) {
            timed.request(i);
        }
        nowNs.addAndGet(2 * SECOND_NS);
        assertThat(timed.lasted()).isFalse();
    }

    private void accepted() {
        timed.againAfterMs(new Answer(0, 202, "ACCEPTED", 0, 1));
    }
}
