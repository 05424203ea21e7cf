package io.seckill.shard;

import static io.seckill.shard.Wishes.EPOCH;
import static io.seckill.shard.Wishes.PRODUCT;
import static io.seckill.shard.Wishes.id;
import static io.seckill.shard.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.resps.StreamEntry;

class OutboxIT extends OneShard {

    private static final Duration SHORT = Duration.ofMillis(50);

    @BeforeEach
    void load() {
        shard.load(PRODUCT, EPOCH, 100);
    }

    @Test
    void entry_says_what_was_taken() {
        shard.reserve(reserve(1, "alice", 2));

        OutboxEntry entry = read(10).get(0);

        Reservation reservation = entry.reservation(0);
        assertThat(reservation)
                .isEqualTo(new Reservation(
                        id(1), PRODUCT, "alice", 2, 0, EPOCH, 1, reservation.reservedAtMs()));
        assertThat(reservation.reservedAtMs())
                .isEqualTo(shard.books(PRODUCT).reservations().get(id(1)).reservedAtMs());
    }

    @Test
    void oldest_come_first_and_again_until_they_are_deleted() {
        IntStream.range(0, 5).forEach(i -> shard.reserve(reserve(i, "user-" + i, 1)));

        List<OutboxEntry> first = read(3);
        assertThat(read(3)).isEqualTo(first);
        shard.delete(PRODUCT, first.stream().map(OutboxEntry::id).toList());

        assertThat(read(3))
                .extracting(e -> e.reservation(0).reservationId())
                .containsExactly(id(3), id(4));
        assertThat(shard.books(PRODUCT).outboxLength()).isEqualTo(2);
    }

    @Test
    void products_are_read_together_and_not_mixed_up() {
        shard.load("7", EPOCH, 1);
        shard.reserve(reserve(1, "alice", 1));
        shard.reserve(new Reserve(id(2), "7", "alice", 1, Long.MAX_VALUE));

        List<OutboxEntry> entries = shard.outbox(List.of("7", PRODUCT, "9"), 10, SHORT);

        assertThat(entries)
                .extracting(OutboxEntry::productId)
                .containsExactlyInAnyOrder("7", PRODUCT);
        assertThat(entries)
                .allSatisfy(e -> assertThat(e.reservation(0).productId()).isEqualTo(e.productId()));
    }

    @Test
    void empty_outbox_is_waited_for_and_no_longer() {
        long start = System.nanoTime();
        assertThat(read(10)).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(40), Duration.ofMillis(450));
    }

    @Test
    void wait_without_end_is_refused() {
        for (long ms : new long[] {0, -1, 501}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> shard.outbox(List.of(PRODUCT), 1, Duration.ofMillis(ms)));
        }
    }

    @Test
    void damaged_entry_names_itself_and_is_parked_whole() {
        jedis.xadd(RedisKeys.outbox(PRODUCT), StreamEntryID.NEW_ENTRY, Map.of("user_id", "alice"));
        OutboxEntry damaged = read(10).get(0);
        assertThatIllegalArgumentException().isThrownBy(() -> damaged.reservation(0));

        shard.park(PRODUCT, damaged.id());
        shard.park(PRODUCT, damaged.id());

        assertThat(read(10)).isEmpty();
        List<StreamEntry> parked = jedis.xrange(RedisKeys.parked(PRODUCT), "-", "+");
        assertThat(parked).hasSize(1);
        assertThat(parked.get(0).getFields())
                .containsEntry("user_id", "alice")
                .containsEntry("entry_id", damaged.id());
    }

    @ParameterizedTest
    @CsvSource({
        "quantity,0",
        "quantity,4294967297",
        "epoch,",
        "epoch,0",
        "seq,",
        "seq,0",
        "seq,5.0",
        "reserved_at_ms,soon",
        "user_id,a|b"
    })
    void entry_with_a_wrong_field_is_refused_by_its_name(String field, String value) {
        shard.reserve(reserve(1, "alice", 1));
        OutboxEntry good = read(1).get(0);
        Map<String, String> fields = new HashMap<>(good.fields());
        fields.put(field, value);
        OutboxEntry bad = new OutboxEntry(PRODUCT, good.id(), fields);

        String name = field.split("_")[0];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bad.reservation(0))
                .withMessageContaining("bad " + name);
    }

    private static List<OutboxEntry> read(int count) {
        return shard.outbox(List.of(PRODUCT), count, SHORT);
    }
}
