package io.seckill.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.seckill.contracts.RedisEndpoint;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardsTest {

    private final Shards shards =
            new Shards(IntStream.range(0, 3).mapToObj(ShardsTest::shard).toList());

    @Test
    void shard_is_found_by_its_number() {
        assertThat(shards.get(2)).isSameAs(shards.all().get(2));
    }

    @Test
    void shard_that_is_not_configured_names_the_key() {
        assertThatIllegalStateException()
                .isThrownBy(() -> shards.get(3))
                .withMessageContaining("seckill.shards");
        assertThatIllegalStateException().isThrownBy(() -> shards.get(-1));
    }

    @Test
    void shards_in_another_order_are_refused() {
        List<Shard> swapped = List.of(shard(1), shard(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Shards(swapped));
    }

    private static Shard shard(int index) {
        return new Shard(index, RedisEndpoint.of("test", "redis://127.0.0.1:1"));
    }
}
