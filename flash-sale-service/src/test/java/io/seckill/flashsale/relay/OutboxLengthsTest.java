package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutboxLengthsTest {

    private final OutboxLengths lengths = new OutboxLengths();

    @Test
    void each_product_counts_as_it_was_read_last() {
        assertThat(lengths.sum()).isZero();
        lengths.read("518", 300);
        lengths.read("519", 2);
        lengths.read("518", 250);
        assertThat(lengths.sum()).isEqualTo(252);
        lengths.read("518", 0);
        assertThat(lengths.sum()).isEqualTo(2);
    }

    @Test
    void what_is_handed_over_waits_no_more_and_never_makes_less_than_nothing() {
        lengths.read("518", 300);
        lengths.handedOver("518", 128);
        assertThat(lengths.sum()).isEqualTo(172);
        lengths.handedOver("518", 200);
        lengths.handedOver("519", 1);
        assertThat(lengths.sum()).isZero();
    }

    @Test
    void what_waits_of_a_sale_that_is_gone_counts_no_more() {
        lengths.read("518", 300);
        lengths.read("519", 2);
        lengths.keepOnly("519"::equals);
        assertThat(lengths.sum()).isEqualTo(2);
    }
}
