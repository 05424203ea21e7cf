package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardsTest {

    private final Shards shards =
            new Shards(IntStream.range(0, 3).mapToObj(ShardsTest::shard).toList());

    /** Worked out with Python's zlib.crc32, so that a second implementation can check itself. */
    @ParameterizedTest
    @CsvSource({"alice,3,2", "bob,3,2", "user-1,3,2", "user-2,3,1", "alice,1,0", "a.b@c-d,5,4"})
    void home_is_crc32_of_the_user_modulo_the_shards(String user, int count, int home) {
        assertThat(Shards.home(user, count)).isEqualTo(home);
    }

    @Test
    void ring_holds_every_shard_once_starting_at_home() {
        for (int i = 0; i < 100; i++) {
            List<Integer> ring =
                    shards.ring("user-" + i, 3).stream().map(Shard::index).toList();
            int home = Shards.home("user-" + i, 3);
            assertThat(ring).containsExactly(home, (home + 1) % 3, (home + 2) % 3);
        }
    }

    @Test
    void sale_over_fewer_shards_leaves_the_others_out() {
        assertThat(shards.ring("alice", 1)).containsExactly(shards.get(0));
    }

    @Test
    void sale_over_shards_that_are_not_configured_names_the_key() {
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.ring("alice", 4))
                .withMessageContaining("seckill.shards");
        assertThatIllegalStateException().isThrownBy(() -> shards.ring("alice", 0));
    }

    @Test
    void shards_in_another_order_are_refused() {
        List<Shard> swapped = List.of(shard(1), shard(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Shards(swapped));
    }

    private static Shard shard(int index) {
        return new Shard(index, "127.0.0.1", 1);
    }
}
