package io.seckill.shard;

import static io.seckill.contracts.StockReturn.Action.BURN;
import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.shard.Wishes.EPOCH;
import static io.seckill.shard.Wishes.PRODUCT;
import static io.seckill.shard.Wishes.giveBack;
import static io.seckill.shard.Wishes.id;
import static io.seckill.shard.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.ReserveOutcome.Word;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardIT extends OneShard {

    @BeforeEach
    void load() {
        assertThat(shard.load(PRODUCT, EPOCH, 5)).isEqualTo(LoadOutcome.LOADED);
    }

    @Test
    void taken_unit_is_counted_marked_kept_and_put_into_the_outbox() {
        assertThat(shard.reserve(reserve(1, "alice", 2))).isEqualTo(answer(Word.TAKEN));

        Books books = shard.books(PRODUCT);
        assertThat(books.stock()).contains(new StockCount(3, 5, 2, 0, 0, EPOCH));
        assertThat(books.buyers()).containsOnly(Map.entry("alice", id(1)));
        assertThat(books.reservations()).containsOnlyKeys(id(1));
        Books.Kept kept = books.reservations().get(id(1));
        assertThat(kept.state()).isEqualTo(Books.State.R);
        assertThat(kept.userId()).isEqualTo("alice");
        assertThat(kept.quantity()).isEqualTo(2);
        assertThat(kept.reservedAtMs())
                .isCloseTo(System.currentTimeMillis(), Offset.offset(5_000L));
        assertThat(shard.reservation(PRODUCT, id(1))).contains(kept);
        assertThat(shard.reservation(PRODUCT, id(2))).isEmpty();
        assertThat(books.outboxLength()).isEqualTo(1);
        assertThat(shard.holder(PRODUCT, "alice")).contains(id(1));
        assertThat(shard.holder(PRODUCT, "bob")).isEmpty();
    }

    @Test
    void same_reservation_again_takes_nothing_more() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.TAKEN));
        assertThat(available()).isEqualTo(4);
        assertThat(shard.books(PRODUCT).outboxLength()).isEqualTo(1);
    }

    @Test
    void same_reservation_is_still_taken_after_its_deadline_and_in_the_next_epoch() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.reserve(reserve(1, "alice", 1, 2, 1))).isEqualTo(answer(Word.TAKEN));
    }

    @Test
    void second_reservation_of_a_user_is_told_the_first() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.reserve(reserve(2, "alice", 1)))
                .isEqualTo(new ReserveOutcome(Word.ALREADY_BOUGHT, id(1)));
        assertThat(available()).isEqualTo(4);
    }

    @Test
    void too_little_is_sold_out_and_the_rest_still_sells() {
        shard.reserve(reserve(1, "alice", 3));
        ReserveOutcome tooMany = shard.reserve(reserve(2, "bob", 3));
        assertThat(tooMany).isEqualTo(new ReserveOutcome(Word.SOLD_OUT, "2"));
        assertThat(tooMany.isEmpty()).isFalse();
        assertThat(shard.reserve(reserve(3, "bob", 2))).isEqualTo(answer(Word.TAKEN));
        assertThat(shard.reserve(reserve(4, "carol", 1)).isEmpty()).isTrue();
    }

    @Test
    void passed_deadline_takes_nothing() {
        long past = System.currentTimeMillis() - 1_000;
        assertThat(shard.reserve(reserve(1, "alice", 1, EPOCH, past)))
                .isEqualTo(answer(Word.DEADLINE_PASSED));
        assertThat(available()).isEqualTo(5);
    }

    @Test
    void other_epoch_takes_nothing_and_is_told_the_right_one() {
        long later = System.currentTimeMillis() + 10_000;
        assertThat(shard.reserve(reserve(1, "alice", 1, 2, later)))
                .isEqualTo(new ReserveOutcome(Word.STALE_EPOCH, "1"));
        assertThat(available()).isEqualTo(5);
    }

    @Test
    void missing_stock_is_not_loaded_never_sold_out() {
        jedis.del(RedisKeys.stock(PRODUCT));
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.NOT_LOADED));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(ReturnOutcome.NOT_LOADED);
        assertThat(shard.stock(PRODUCT)).isEmpty();
        assertThat(shard.books(PRODUCT).stock()).isEmpty();
        assertThat(jedis.keys("*")).isEmpty();
    }

    @Test
    void loaded_stock_is_never_reset() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.load(PRODUCT, EPOCH, 100)).isEqualTo(LoadOutcome.ALREADY_LOADED);
        assertThat(shard.load(PRODUCT, 2, 100)).isEqualTo(LoadOutcome.OTHER_EPOCH);
        assertThat(shard.stock(PRODUCT)).contains(new StockCount(4, 5, 1, 0, 0, EPOCH));
    }

    @Test
    void shard_without_a_part_is_loaded_and_sold_out() {
        assertThat(shard.load("7", EPOCH, 0)).isEqualTo(LoadOutcome.LOADED);
        assertThat(shard.stock("7")).contains(new StockCount(0, 0, 0, 0, 0, EPOCH));
    }

    @Test
    void load_of_nonsense_is_refused_before_it_is_sent() {
        assertThatIllegalArgumentException().isThrownBy(() -> shard.load("7", 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> shard.load("7", 1, -1));
        assertThat(shard.stock("7")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void reserve_of_no_units_is_refused_before_it_is_sent(int quantity) {
        assertThatIllegalArgumentException().isThrownBy(() -> reserve(1, "alice", quantity));
        assertThatIllegalArgumentException().isThrownBy(() -> reserve(1, "a|b", 1));
    }

    @Test
    void returned_unit_sells_again_to_the_same_user_under_a_new_reservation() {
        shard.reserve(reserve(1, "alice", 2));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(ReturnOutcome.RETURNED);

        assertThat(shard.stock(PRODUCT)).contains(new StockCount(5, 5, 2, 2, 0, EPOCH));
        assertThat(shard.holder(PRODUCT, "alice")).isEmpty();
        assertThat(shard.reserve(reserve(1, "alice", 2))).isEqualTo(answer(Word.GONE));
        assertThat(shard.reserve(reserve(2, "alice", 2))).isEqualTo(answer(Word.TAKEN));
    }

    @Test
    void burned_unit_never_sells_again() {
        shard.reserve(reserve(1, "alice", 5));
        assertThat(shard.giveBack(giveBack(1, "alice", BURN))).isEqualTo(ReturnOutcome.BURNED);

        assertThat(shard.stock(PRODUCT)).contains(new StockCount(0, 5, 5, 0, 5, EPOCH));
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.GONE));
        assertThat(shard.reserve(reserve(2, "alice", 1)).isEmpty()).isTrue();
    }

    @Test
    void second_return_of_any_kind_changes_nothing() {
        shard.reserve(reserve(1, "alice", 1));
        shard.giveBack(giveBack(1, "alice", RETURN));
        shard.reserve(reserve(2, "alice", 1));

        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(ReturnOutcome.ALREADY_DONE);
        assertThat(shard.giveBack(giveBack(1, "alice", BURN)))
                .isEqualTo(ReturnOutcome.ALREADY_DONE);
        assertThat(available()).isEqualTo(4);
        assertThat(shard.holder(PRODUCT, "alice")).contains(id(2));
    }

    @Test
    void return_before_the_reserve_leaves_a_tombstone_that_stops_it() {
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(ReturnOutcome.TOMBSTONED);
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(ReturnOutcome.ALREADY_DONE);
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.GONE));
        assertThat(shard.stock(PRODUCT)).contains(new StockCount(5, 5, 0, 0, 0, EPOCH));
    }

    @Test
    void return_of_another_epoch_changes_nothing() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN, 2)))
                .isEqualTo(ReturnOutcome.STALE_EPOCH);
        assertThat(available()).isEqualTo(4);
        assertThat(shard.holder(PRODUCT, "alice")).contains(id(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stock", "buyers", "reservations", "outbox"})
    void wrong_typed_key_is_refused_and_changes_nothing(String what) {
        shard.reserve(reserve(1, "alice", 1));
        String key = "seckill:{518}:" + what;
        jedis.set(key, "not what it should be");
        byte[][] before = dump();

        assertThatThrownBy(() -> shard.reserve(reserve(2, "bob", 1)))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("WRONGTYPE");
        if (!what.equals("outbox")) {
            assertThatThrownBy(() -> shard.giveBack(giveBack(1, "alice", RETURN)))
                    .isInstanceOf(ShardDownException.class);
        }
        assertThat(dump()).isDeepEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"available", "deducted"})
    void damaged_counter_is_refused_and_changes_nothing(String counter) {
        jedis.hset(RedisKeys.stock(PRODUCT), counter, "many");
        byte[][] before = dump();
        assertThatThrownBy(() -> shard.reserve(reserve(2, "bob", 1)))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("DAMAGED");
        assertThat(dump()).isDeepEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "R", "R|alice", "R|alice|x|1", "r|alice|1|1"})
    void damaged_reservation_is_not_given_back(String packed) {
        jedis.hset(RedisKeys.reservations(PRODUCT), id(1), packed);
        byte[][] before = dump();
        assertThatThrownBy(() -> shard.giveBack(giveBack(1, "alice", RETURN)))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("DAMAGED");
        assertThat(dump()).isDeepEqualTo(before);
    }

    private static byte[][] dump() {
        return Stream.of("stock", "buyers", "reservations", "outbox")
                .map(what -> jedis.dump("seckill:{518}:" + what))
                .map(bytes -> bytes == null ? new byte[0] : bytes)
                .toArray(byte[][]::new);
    }

    private static long available() {
        return shard.stock(PRODUCT).orElseThrow().available();
    }

    private static ReserveOutcome answer(Word word) {
        return new ReserveOutcome(word, null);
    }
}
