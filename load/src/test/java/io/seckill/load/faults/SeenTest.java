package io.seckill.load.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.faults.Seen.InShard;
import io.seckill.load.faults.Seen.Order;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeenTest {

    private static final Seen SEEN = new Seen(
            Map.of(
                    0, shard(Map.of("a", "R|ann|1|100|1|1", "b", "R|ben|1|200|1|2")),
                    1, shard(Map.of("c", "R|cid|1|100|1|1", "d", "X|dan|1|100|1|2"))),
            Map.of(),
            List.of(new Order("1", "b", "ben", 1, 0, "REJECTED")),
            0);

    @Test
    void reservation_is_undecided_as_long_as_it_holds_units_and_has_no_row_of_any_status() {
        assertThat(SEEN.undecided(shard -> true, Long.MAX_VALUE)).isEqualTo(2);
        assertThat(SEEN.undecided(shard -> shard == 1, Long.MAX_VALUE)).isOne();
        assertThat(SEEN.undecided(shard -> shard == 2, Long.MAX_VALUE)).isZero();
    }

    @Test
    void reservation_that_was_just_taken_is_not_among_those_undecided_for_longer() {
        assertThat(SEEN.undecided(shard -> true, 100)).isEqualTo(2);
        assertThat(SEEN.undecided(shard -> true, 99)).isZero();
    }

    private static InShard shard(Map<String, String> reservations) {
        return new InShard(Map.of(), reservations, Map.of(), 0);
    }
}
