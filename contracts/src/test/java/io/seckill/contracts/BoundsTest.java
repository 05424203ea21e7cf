package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundsTest {

    @Test
    void sales_are_bounded_by_the_table() {
        assertThat(Bounds.SALES).isBetween(1, 10_000);
    }
}
