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
    void what_was_sent_is_tried_again_after_the_time() {
        Traffic patient = new Traffic() {
            @Override
            public int size() {
                return 1;
            }

            @Override
            public byte[] request(int number) {
                return new byte[0];
            }

            @Override
            public long againAfterMs(Answer answer) {
                return 50;
            }

            @Override
            public long againAfterLossMs(int number) {
                return 60;
            }
        };
        Timed over = new Timed(patient, 1, nowNs::get);
        over.request(0);
        nowNs.addAndGet(2 * SECOND_NS);
        assertThat(over.againAfterMs(new Answer(0, 503, "BUSY", 50, 1))).isEqualTo(50);
        assertThat(over.againAfterLossMs(0)).isEqualTo(60);
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
