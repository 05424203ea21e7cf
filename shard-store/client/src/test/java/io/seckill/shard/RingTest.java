package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingTest {

    /** Worked out with Python's zlib.crc32, so that a second implementation can check itself. */
    @ParameterizedTest
    @CsvSource({"alice,3,2", "bob,3,2", "user-1,3,2", "user-2,3,1", "alice,1,0", "a.b@c-d,5,4"})
    void home_is_crc32_of_the_user_modulo_the_placements(String user, int count, int home) {
        assertThat(Ring.home(user, count)).isEqualTo(home);
    }

    /** The placements' order is the ring's, whatever the numbers and states of the shards. */
    @Test
    void ring_holds_every_placement_once_starting_at_home() {
        List<Placement> sale = Placement.parse("7:1:OPEN 0:4:RECOVERING 3:2:RETIRED");
        for (int i = 0; i < 100; i++) {
            int home = Ring.home("user-" + i, 3);
            assertThat(Ring.of("user-" + i, sale))
                    .containsExactly(
                            sale.get(home), sale.get((home + 1) % 3), sale.get((home + 2) % 3));
        }
    }

    @Test
    void sale_on_one_shard_is_a_ring_of_one() {
        List<Placement> sale = Placement.parse("4:1:OPEN");
        assertThat(Ring.of("alice", sale)).isEqualTo(sale);
    }
}
