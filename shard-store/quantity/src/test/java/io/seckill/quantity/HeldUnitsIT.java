package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.resps.StreamEntry;

class HeldUnitsIT extends OneShard {

    private static final long LATER_MS = Long.MAX_VALUE / 1_000_000;

    private HeldUnits held;

    @BeforeEach
    void load() {
        shard.load(PRODUCT, EPOCH, 5_000);
        held = new HeldUnits(shard);
    }

    @Test
    void pages_tell_each_reservation_that_holds_units_and_was_made_before() {
        List<String> all = IntStream.range(0, 1_200).mapToObj(this::take).toList();
        shard.giveBack(giveBack(7, "user-7", RETURN));
        List<String> found = new ArrayList<>();
        String cursor = "0";
        int pages = 0;
        int looked = 0;
        do {
            HeldUnits.Page page = held.page(PRODUCT, cursor, 100, LATER_MS).orElseThrow();
            assertThat(page.epoch()).isEqualTo(EPOCH);
            assertThat(page.init()).isEqualTo(5_000);
            found.addAll(page.ids());
            cursor = page.next();
            looked += page.looked();
            pages++;
        } while (!cursor.equals("0"));

        assertThat(pages).isGreaterThan(5);
        assertThat(looked).isGreaterThanOrEqualTo(1_200);
        assertThat(found).doesNotContain(id(7)).hasSizeGreaterThanOrEqualTo(1_199);
        assertThat(all).filteredOn(found::contains).hasSize(1_199);
        assertThat(held.page(PRODUCT, "0", 100, 1).orElseThrow().ids()).isEmpty();
    }

    @Test
    void unheld_is_what_was_given_back_or_never_taken_in_this_epoch() {
        take(1);
        take(2);
        shard.giveBack(giveBack(2, "user-2", RETURN));
        assertThat(held.unheld(PRODUCT, EPOCH, List.of(id(1), id(2), id(3))))
                .contains(List.of(id(2), id(3)));
        assertThat(held.unheld(PRODUCT, EPOCH + 1, List.of(id(3)))).isEmpty();
    }

    @Test
    void lost_entry_is_written_again_as_it_was_and_never_beside_itself() {
        take(1);
        assertThat(held.tellAgain(PRODUCT, EPOCH, id(1))).as("it waits").isFalse();
        StreamEntry first = outbox().get(0);
        jedis.xdel(RedisKeys.outbox(PRODUCT), first.getID());
        jedis.hset(RedisKeys.stock(PRODUCT), "epoch", "2");

        assertThat(held.tellAgain(PRODUCT, EPOCH, id(1))).as("another epoch").isFalse();
        assertThat(held.tellAgain(PRODUCT, 2, id(1))).isTrue();
        assertThat(held.tellAgain(PRODUCT, 2, id(1))).as("again").isFalse();
        assertThat(outbox()).hasSize(1);
        assertThat(outbox().get(0).getFields()).isEqualTo(first.getFields());

        shard.giveBack(giveBack(1, "user-1", RETURN));
        jedis.del(RedisKeys.outbox(PRODUCT));
        assertThat(held.tellAgain(PRODUCT, 2, id(1))).as("given back").isFalse();
        assertThat(held.tellAgain(PRODUCT, 2, id(9))).as("never taken").isFalse();
    }

    @Test
    void outbox_is_looked_through_in_pages_up_to_a_bound() {
        assertThat(held.waiting(PRODUCT)).contains(Set.of());
        List<String> all = IntStream.range(0, 300).mapToObj(this::take).toList();
        assertThat(held.waiting(PRODUCT)).contains(Set.copyOf(all));
        IntStream.range(300, 999).forEach(this::take);
        assertThat(held.waiting(PRODUCT).orElseThrow()).hasSize(999);
        take(999);
        assertThat(held.waiting(PRODUCT)).isEmpty();
    }

    /** The shard has one thread: what is far from the end is for the pages to find. */
    @Test
    void entry_is_looked_for_only_at_the_end_of_the_outbox_while_it_is_written() {
        take(0);
        IntStream.range(1, 100).forEach(this::take);
        assertThat(held.tellAgain(PRODUCT, EPOCH, id(0))).isFalse();
        take(100);
        assertThat(held.tellAgain(PRODUCT, EPOCH, id(0))).isTrue();
    }

    @Test
    void nothing_is_told_or_written_behind_a_closed_gate() {
        take(1);
        jedis.del(RedisKeys.outbox(PRODUCT));
        jedis.hset(RedisKeys.stock(PRODUCT), "open_for", "another");
        assertThat(held.page(PRODUCT, "0", 100, LATER_MS)).isEmpty();
        assertThat(held.unheld(PRODUCT, EPOCH, List.of(id(2)))).isEmpty();
        assertThat(held.tellAgain(PRODUCT, EPOCH, id(1))).isFalse();
    }

    private String take(int i) {
        assertThat(shard.reserve(reserve(i, "user-" + i, 1)).word())
                .isEqualTo(ReserveOutcome.Word.TAKEN);
        return id(i);
    }

    private static List<StreamEntry> outbox() {
        return jedis.xrange(RedisKeys.outbox(PRODUCT), (StreamEntryID) null, (StreamEntryID) null);
    }
}
