package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnderWayTest {

    private final UnderWay underWay = new UnderWay(2);

    @Test
    void shard_takes_so_many_and_one_more_for_each_that_leaves() {
        for (int i = 0; i < UnderWay.MAX; i++) {
            assertThat(underWay.enter(1)).isTrue();
        }
        assertThat(underWay.enter(1)).isFalse();
        assertThat(underWay.count(1)).isEqualTo(UnderWay.MAX);
        assertThat(underWay.enter(0)).as("the other shard").isTrue();
        underWay.leave(1);
        assertThat(underWay.enter(1)).isTrue();
        assertThat(underWay.enter(1)).isFalse();
    }
}
