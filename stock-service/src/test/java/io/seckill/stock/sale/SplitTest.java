package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SplitTest {

    @Test
    void remainder_goes_one_by_one_to_the_first_shards() {
        assertThat(Split.evenly(100, 3)).containsExactly(34L, 33L, 33L);
        assertThat(Split.evenly(11, 3)).containsExactly(4L, 4L, 3L);
    }

    @Test
    void fewer_units_than_shards_leave_empty_parts() {
        assertThat(Split.evenly(1, 3)).containsExactly(1L, 0L, 0L);
    }

    @Test
    void parts_always_add_up_and_differ_by_at_most_one() {
        for (long units = 1; units < 200; units++) {
            for (int shards = 1; shards < 9; shards++) {
                List<Long> allocations = Split.evenly(units, shards);
                assertThat(allocations).hasSize(shards);
                assertThat(allocations.stream().mapToLong(Long::longValue).sum())
                        .isEqualTo(units);
                assertThat(allocations.get(0) - allocations.get(shards - 1)).isBetween(0L, 1L);
            }
        }
        assertThat(Split.evenly(1_000_000_000, 1)).containsExactly(1_000_000_000L);
    }
}
