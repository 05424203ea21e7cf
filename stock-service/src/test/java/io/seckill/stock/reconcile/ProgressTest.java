package io.seckill.stock.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private static final OptionalLong AWAY = OptionalLong.empty();

    private final Progress progress = new Progress();

    @Test
    void nothing_is_known_before_order_service_has_said_anything() {
        assertThat(progress.metUntil(1_000, AWAY)).isZero();
    }

    @Test
    void empty_backlog_means_up_to_now() {
        assertThat(progress.metUntil(1_000, OptionalLong.of(0))).isEqualTo(1_000);
    }

    @Test
    void shorter_backlog_is_believed_though_an_earlier_one_was_long() {
        progress.metUntil(1_000, OptionalLong.of(50_000_000));
        progress.metUntil(2_000, OptionalLong.of(500));
        assertThat(progress.metUntil(2_500, AWAY)).isEqualTo(2_000);
    }

    @Test
    void backlog_is_waited_out_before_what_it_held_counts_as_met() {
        progress.metUntil(1_000, OptionalLong.of(60_000));
        assertThat(progress.metUntil(60_999, AWAY)).isZero();
        assertThat(progress.metUntil(61_000, AWAY)).isEqualTo(1_000);
        assertThat(progress.metUntil(90_000, AWAY)).as("away: nothing moves").isEqualTo(1_000);
    }
}
