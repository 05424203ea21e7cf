package io.seckill.quantity;

import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.tuple;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.shard.OutboxEntry;
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

    @BeforeEach
    void load() {
        shard.load(PRODUCT, EPOCH, 100);
    }

    @Test
    void entry_says_what_was_taken() {
        shard.reserve(reserve(1, "alice", 2));

        OutboxEntry entry = read(10).get(0);

        Reservation reservation = shard.reservation(entry);
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
        shard.handedOver(PRODUCT, first);

        assertThat(read(3))
                .extracting(e -> shard.reservation(e).reservationId())
                .containsExactly(id(3), id(4));
        assertThat(shard.books(PRODUCT).outboxLength()).isEqualTo(2);
    }

    /** The id is a time and a count: an old master and the promoted replica both give it away. */
    @Test
    void entry_of_another_server_that_has_the_id_of_one_handed_over_stays() {
        IntStream.range(0, 3).forEach(i -> shard.reserve(reserve(i, "user-" + i, 1)));
        List<OutboxEntry> handedOver = read(3);
        String id = handedOver.get(1).id();
        Map<String, String> others = new HashMap<>(handedOver.get(1).fields());
        others.put("reservation_id", id(7));
        jedis.del(RedisKeys.outbox(PRODUCT));
        for (OutboxEntry entry : handedOver) {
            jedis.xadd(
                    RedisKeys.outbox(PRODUCT),
                    new StreamEntryID(entry.id()),
                    entry.id().equals(id) ? others : entry.fields());
        }

        shard.handedOver(PRODUCT, handedOver);
        shard.handedOver(PRODUCT, handedOver);

        assertThat(read(10))
                .extracting(OutboxEntry::id, e -> shard.reservation(e).reservationId())
                .containsExactly(tuple(id, id(7)));
    }

    @Test
    void what_was_handed_over_goes_also_when_the_shard_has_no_memory_left() {
        shard.reserve(reserve(1, "alice", 1));
        List<OutboxEntry> handedOver = read(1);
        jedis.configSet("maxmemory", "1");
        try {
            shard.handedOver(PRODUCT, handedOver);
        } finally {
            jedis.configSet("maxmemory", "0");
        }
        assertThat(read(1)).isEmpty();
    }

    @Test
    void products_are_read_together_and_not_mixed_up() {
        shard.load("7", EPOCH, 1);
        shard.reserve(reserve(1, "alice", 1));
        shard.reserve(new Reserve(id(2), "7", "alice", 1, false, Long.MAX_VALUE));

        List<OutboxEntry> entries = read(List.of("7", PRODUCT, "9"), 10);

        assertThat(entries)
                .extracting(OutboxEntry::productId)
                .containsExactlyInAnyOrder("7", PRODUCT);
        assertThat(entries)
                .allSatisfy(
                        e -> assertThat(shard.reservation(e).productId()).isEqualTo(e.productId()));
    }

    @Test
    void many_outboxes_are_read_at_once_and_empty_ones_give_nothing() {
        List<String> products = IntStream.range(0, 500)
                .mapToObj(i -> Integer.toString(1_000 + i))
                .toList();
        assertThat(read(products, 10)).isEmpty();
        assertThat(read(List.of(), 10)).isEmpty();
        for (String product : List.of("1000", "1127", "1128", "1499")) {
            shard.load(product, EPOCH, 1);
            shard.reserve(new Reserve(id(1), product, "alice", 1, false, Long.MAX_VALUE));
        }
        assertThat(read(products, 10))
                .extracting(OutboxEntry::productId)
                .containsExactly("1000", "1127", "1128", "1499");
    }

    @Test
    void outbox_that_cannot_be_read_is_named_and_keeps_no_other_from_being_read() {
        shard.reserve(reserve(1, "alice", 1));
        jedis.set(RedisKeys.outbox("7"), "not a stream");
        Map<String, String> unreadable = new HashMap<>();
        assertThat(node.outbox(List.of("7", PRODUCT, "9"), 10, unreadable::put)).hasSize(1);
        assertThat(unreadable).containsOnlyKeys("7");
        assertThat(unreadable.get("7")).contains("WRONGTYPE");
    }

    @Test
    void damaged_entry_names_itself_and_is_parked_whole() {
        jedis.xadd(RedisKeys.outbox(PRODUCT), StreamEntryID.NEW_ENTRY, Map.of("user_id", "alice"));
        OutboxEntry damaged = read(10).get(0);
        assertThatIllegalArgumentException().isThrownBy(() -> shard.reservation(damaged));

        node.park(PRODUCT, damaged.id());
        node.park(PRODUCT, damaged.id());

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
                .isThrownBy(() -> shard.reservation(bad))
                .withMessageContaining("bad " + name);
    }

    private static List<OutboxEntry> read(int count) {
        return read(List.of(PRODUCT), count);
    }

    private static List<OutboxEntry> read(List<String> products, int count) {
        return node.outbox(products, count, (product, error) -> fail(product + ": " + error));
    }
}
