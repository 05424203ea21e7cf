package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Bounds;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FreshOutboxesTest {

    private static final List<String> SALES = List.of("1", "2", "3");
    private static final long SECOND_NS = FreshOutboxes.SWEEP.toNanos();

    private final FreshOutboxes outboxes = new FreshOutboxes();

    @BeforeEach
    void first_round_sweeps() {
        assertThat(outboxes.take(SALES, 0)).containsExactlyInAnyOrderElementsOf(SALES);
        outboxes.done(0);
    }

    @Test
    void marked_product_is_read_once_and_no_other() {
        outboxes.mark("2");
        outboxes.mark("2");
        assertThat(outboxes.take(SALES, 1)).containsExactly("2");
        outboxes.done(1);
        assertThat(outboxes.take(SALES, 2)).isEmpty();
    }

    @Test
    void all_sales_are_read_each_second_however_many_rounds_come_between() {
        outboxes.take(SALES, SECOND_NS - 1);
        outboxes.done(SECOND_NS - 1);
        assertThat(outboxes.take(SALES, SECOND_NS)).hasSize(3);
        outboxes.done(SECOND_NS);
        assertThat(outboxes.take(SALES, SECOND_NS + 1)).isEmpty();
    }

    @Test
    void failed_round_sweeps_again_because_its_marks_are_gone() {
        outboxes.mark("7");
        outboxes.take(SALES, 1);
        outboxes.failed();
        assertThat(outboxes.take(List.of("1", "7"), 2)).contains("7");
    }

    @Test
    void marks_are_no_more_than_sales_may_be() {
        IntStream.range(0, 2 * Bounds.SALES).forEach(i -> outboxes.mark("m" + i));
        assertThat(outboxes.take(SALES, 1)).hasSize(Bounds.SALES);
    }
}
