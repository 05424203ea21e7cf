package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmptiesTest {

    private static final List<Placement> RING = Placement.parse("0:1:OPEN 1:1:RETIRED 2:1:OPEN");
    private static final String PRODUCT = "518";
    private static final long NOW_NS = 5_000_000_000L;

    private final Empties empties = new Empties(() -> List.of(PRODUCT), 3);

    @Test
    void shard_nobody_has_asked_is_not_empty_but_a_retired_one_is() {
        assertThat(empties.has(RING.get(0), PRODUCT, NOW_NS)).isFalse();
        assertThat(empties.has(RING.get(1), PRODUCT, NOW_NS)).isTrue();
        assertThat(empties.hasAll(RING, PRODUCT, NOW_NS)).isFalse();
    }

    @Test
    void empty_shard_is_remembered_for_a_moment_from_the_question_on() {
        empties.heard(PRODUCT, 0, true, NOW_NS);
        empties.heard(PRODUCT, 2, true, NOW_NS + 5);
        assertThat(empties.hasAll(RING, PRODUCT, NOW_NS + Empties.REMEMBERED_NS - 1))
                .isTrue();
        assertThat(empties.hasAll(RING, PRODUCT, NOW_NS + Empties.REMEMBERED_NS))
                .isFalse();
        assertThat(empties.has(RING.get(2), PRODUCT, NOW_NS + Empties.REMEMBERED_NS))
                .isTrue();
    }

    @Test
    void shard_that_sells_is_empty_no_longer() {
        empties.heard(PRODUCT, 0, true, NOW_NS);
        empties.heard(PRODUCT, 0, false, NOW_NS);
        assertThat(empties.has(RING.get(0), PRODUCT, NOW_NS)).isFalse();
    }

    @Test
    void recovering_shard_is_never_empty() {
        empties.heard(PRODUCT, 0, true, NOW_NS);
        Placement recovering = new Placement(0, 1, Placement.State.RECOVERING);
        assertThat(empties.has(recovering, PRODUCT, NOW_NS)).isFalse();
    }

    @Test
    void other_products_are_not_meant() {
        empties.heard(PRODUCT, 0, true, NOW_NS);
        assertThat(empties.has(RING.get(0), "519", NOW_NS)).isFalse();
    }
}
