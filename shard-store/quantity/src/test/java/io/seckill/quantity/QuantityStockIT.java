package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.BURN;
import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.ReturnOutcome.Word.ALREADY_DONE;
import static io.seckill.quantity.ReturnOutcome.Word.BURNED;
import static io.seckill.quantity.ReturnOutcome.Word.RETURNED;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.tuple;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.quantity.ReserveOutcome.Word;
import io.seckill.shard.ShardDownException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityStockIT extends OneShard {

    private static final ReturnOutcome GATED = new ReturnOutcome(ReturnOutcome.Word.GATED, 0);

    @BeforeEach
    void load() {
        assertThat(shard.load(PRODUCT, EPOCH, 5)).isEqualTo(LoadOutcome.LOADED);
    }

    @Test
    void taken_unit_is_counted_marked_kept_and_put_into_the_outbox() {
        assertThat(shard.reserve(reserve(1, "alice", 2))).isEqualTo(answer(Word.TAKEN));

        Books books = shard.books(PRODUCT);
        assertThat(books.stock()).contains(new StockCount(3, 5, 2, 0, 0, EPOCH, 1));
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
    void product_is_removed_whole_once_nothing_waits_and_all_reservations_are_counted() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.remove(PRODUCT, 1)).as("its entry waits").isFalse();
        assertThat(shard.waiting(PRODUCT)).isEqualTo(1);
        shard.shard()
                .outbox(List.of(PRODUCT), 1, (product, error) -> {})
                .forEach(entry -> shard.handedOver(PRODUCT, List.of(entry)));
        assertThat(shard.remove(PRODUCT, 0)).as("made since it was counted").isFalse();
        assertThat(shard.holder(PRODUCT, "alice")).contains(id(1));

        assertThat(shard.remove(PRODUCT, 1)).isTrue();

        assertThat(shard.count(PRODUCT)).isEmpty();
        assertThat(shard.holder(PRODUCT, "alice")).isEmpty();
        assertThat(shard.reservation(PRODUCT, id(1))).isEmpty();
        assertThat(shard.reserve(reserve(2, "bob", 1)).word()).isEqualTo(Word.NOT_LOADED);
        assertThat(shard.remove(PRODUCT, 0)).as("again").isTrue();
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
        jedis.hset(RedisKeys.stock(PRODUCT), "epoch", "2");
        assertThat(shard.reserve(reserve(1, "alice", 1, 1))).isEqualTo(answer(Word.TAKEN));
        assertThat(shard.reservation(PRODUCT, id(1)).orElseThrow().epoch()).isEqualTo(EPOCH);
    }

    @Test
    void stamps_are_the_shard_s_epoch_and_a_seq_that_no_other_reserve_has() {
        shard.reserve(reserve(1, "alice", 1));
        shard.giveBack(giveBack(1, "alice", RETURN));
        shard.reserve(reserve(1, "alice", 1)); // gone: takes nothing, and no seq
        jedis.hset(RedisKeys.stock(PRODUCT), "epoch", "7");
        shard.reserve(reserve(2, "alice", 1));
        shard.reserve(reserve(2, "alice", 1));
        shard.reserve(reserve(3, "bob", 5)); // too many: takes nothing, and no seq
        shard.reserve(reserve(4, "carol", 1));

        Map<String, Books.Kept> kept = shard.books(PRODUCT).reservations();
        assertThat(kept.get(id(1)).seq()).isEqualTo(1);
        assertThat(kept.get(id(1)).epoch()).isEqualTo(EPOCH);
        assertThat(kept.get(id(2)).seq()).isEqualTo(2);
        assertThat(kept.get(id(2)).epoch()).isEqualTo(7);
        assertThat(kept.get(id(4)).seq()).isEqualTo(3);
        assertThat(shard.count(PRODUCT).orElseThrow().seq()).isEqualTo(3);
        assertThat(node.outbox(List.of(PRODUCT), 10, (product, error) -> fail(error)))
                .extracting(entry -> shard.reservation(entry))
                .extracting(Reservation::epoch, Reservation::seq)
                .containsExactly(tuple(EPOCH, 1L), tuple(7, 2L), tuple(7, 3L));
    }

    @Test
    void second_reservation_of_a_user_is_told_the_first() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.reserve(reserve(2, "alice", 1)))
                .isEqualTo(new ReserveOutcome(Word.ALREADY_BOUGHT, id(1), false));
        assertThat(available()).isEqualTo(4);
    }

    @Test
    void too_little_is_sold_out_and_the_rest_still_sells() {
        shard.reserve(reserve(1, "alice", 3));
        ReserveOutcome tooMany = shard.reserve(reserve(2, "bob", 3));
        assertThat(tooMany).isEqualTo(new ReserveOutcome(Word.SOLD_OUT, "2", false));
        assertThat(tooMany.isEmpty()).isFalse();
        ReserveOutcome last = shard.reserve(reserve(3, "bob", 2));
        assertThat(last).isEqualTo(new ReserveOutcome(Word.TAKEN, "0", false));
        assertThat(last.isEmpty()).isTrue();
        assertThat(shard.reserve(reserve(4, "carol", 1)).isEmpty()).isTrue();
    }

    @Test
    void guest_marks_the_stock_for_good_and_every_answer_says_so() {
        assertThat(shard.reserve(guest(1, "alice", 6)).mayHaveGuests())
                .as("it took nothing")
                .isFalse();
        assertThat(shard.reserve(reserve(2, "bob", 1)).mayHaveGuests()).isFalse();
        assertThat(mark("bob")).isEqualTo(held(2, false));

        assertThat(shard.reserve(guest(3, "alice", 1))).isEqualTo(guests(Word.TAKEN, ""));
        assertThat(mark("alice")).isEqualTo(held(3, true));
        shard.giveBack(giveBack(3, "alice", RETURN));
        assertThat(mark("alice")).isEqualTo(nothing());
        assertThat(shard.reserve(reserve(2, "bob", 1))).isEqualTo(guests(Word.TAKEN, ""));
        assertThat(shard.reserve(reserve(3, "alice", 1))).isEqualTo(guests(Word.GONE, ""));
        assertThat(shard.reserve(reserve(4, "bob", 1)))
                .isEqualTo(guests(Word.ALREADY_BOUGHT, id(2)));
        assertThat(shard.reserve(reserve(5, "carol", 9))).isEqualTo(guests(Word.SOLD_OUT, "4"));
        assertThat(shard.reserve(reserve(6, "carol", 1, 1)))
                .isEqualTo(guests(Word.DEADLINE_PASSED, ""));
        assertThat(shard.reserve(reserve(7, "carol", 1))).isEqualTo(guests(Word.TAKEN, ""));
        assertThat(jedis.hget(RedisKeys.stock(PRODUCT), "guests")).isEqualTo("1");
    }

    @Test
    void mark_says_whether_units_are_left_and_of_no_stock_nothing() {
        assertThat(mark("alice").isEmpty()).isFalse();
        for (int i = 1; i <= 5; i++) {
            assertThat(shard.reserve(reserve(i, "user-" + i, 1)).word()).isEqualTo(Word.TAKEN);
        }
        assertThat(mark("alice").isEmpty()).isTrue();
        jedis.del(RedisKeys.stock(PRODUCT));
        assertThat(mark("alice").isEmpty()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent", "", "00", "no"})
    void stock_that_does_not_say_may_have_guests(String value) {
        if (value.equals("absent")) {
            jedis.hdel(RedisKeys.stock(PRODUCT), "guests");
        } else {
            jedis.hset(RedisKeys.stock(PRODUCT), "guests", value);
        }
        assertThat(mark("alice")).isEqualTo(nothing());
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(guests(Word.TAKEN, ""));
    }

    private static Reserve guest(int id, String user, int quantity) {
        return new Reserve(
                id(id), PRODUCT, user, quantity, true, System.currentTimeMillis() + 10_000);
    }

    private static ReserveOutcome guests(Word word, String detail) {
        return new ReserveOutcome(word, detail, true);
    }

    private static Mark held(int id, boolean mayHaveGuests) {
        return new Mark(false, Optional.of(id(id)), mayHaveGuests, false, Optional.empty());
    }

    private static Mark nothing() {
        return new Mark(false, Optional.empty(), true, false, Optional.empty());
    }

    private static Mark mark(String user) {
        return shard.markAsync(PRODUCT, user).join();
    }

    @Test
    void passed_deadline_takes_nothing() {
        long past = System.currentTimeMillis() - 1_000;
        assertThat(shard.reserve(reserve(1, "alice", 1, past)))
                .isEqualTo(answer(Word.DEADLINE_PASSED));
        assertThat(available()).isEqualTo(5);
    }

    @Test
    void wish_whose_answer_was_lost_is_open_until_its_deadline_and_then_taken_or_nothing() {
        long nowMs = System.currentTimeMillis();
        shard.reserve(reserve(1, "alice", 1));
        assertThat(fate(1, nowMs + 60_000)).isEqualTo(Fate.TAKEN);
        assertThat(fate(2, nowMs + 60_000)).isEqualTo(Fate.OPEN);
        assertThat(fate(2, nowMs - 1)).isEqualTo(Fate.NOTHING);
        shard.giveBack(giveBack(1, "alice", RETURN));
        assertThat(fate(1, nowMs - 1)).as("it was taken").isEqualTo(Fate.TAKEN);

        jedis.hset(RedisKeys.stock(PRODUCT), "open_for", "f".repeat(40));
        assertThat(fate(2, nowMs - 1)).isEqualTo(Fate.GATED);
        jedis.del(RedisKeys.stock(PRODUCT));
        assertThat(fate(2, nowMs - 1)).isEqualTo(Fate.GATED);
        jedis.set(RedisKeys.reservations(PRODUCT), "no hash");
        assertThatThrownBy(() -> fate(2, nowMs - 1)).hasCauseInstanceOf(ShardDownException.class);
    }

    private static Fate fate(int id, long deadlineMs) {
        return shard.fateAsync(PRODUCT, id(id), deadlineMs).join();
    }

    @Test
    void missing_stock_is_not_loaded_never_sold_out() {
        jedis.del(RedisKeys.stock(PRODUCT));
        assertThat(shard.reserve(reserve(1, "alice", 1)))
                .isEqualTo(new ReserveOutcome(Word.NOT_LOADED, "", true));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(new ReturnOutcome(ReturnOutcome.Word.NOT_LOADED, 0));
        assertThat(shard.count(PRODUCT)).isEmpty();
        assertThat(shard.books(PRODUCT).stock()).isEmpty();
        assertThat(jedis.keys("*")).isEmpty();
    }

    @Test
    void loaded_stock_is_never_reset() {
        shard.reserve(reserve(1, "alice", 1));
        assertThat(shard.load(PRODUCT, EPOCH, 100)).isEqualTo(LoadOutcome.ALREADY_LOADED);
        assertThat(shard.load(PRODUCT, 2, 100)).isEqualTo(LoadOutcome.OTHER_EPOCH);
        assertThat(shard.count(PRODUCT)).contains(new StockCount(4, 5, 1, 0, 0, EPOCH, 1));
    }

    @Test
    void loaded_stock_is_open_for_its_process_and_as_if_rebuilt_in_its_first_epoch() {
        assertThat(jedis.hget(RedisKeys.stock(PRODUCT), "rebuilt")).isEqualTo("1");
        assertThat(jedis.info("replication"))
                .contains(
                        "master_replid:" + jedis.hget(RedisKeys.stock(PRODUCT), "open_for") + "\r");
    }

    @Test
    void shard_without_a_part_is_loaded_and_sold_out() {
        assertThat(shard.load("7", EPOCH, 0)).isEqualTo(LoadOutcome.LOADED);
        assertThat(shard.count("7")).contains(new StockCount(0, 0, 0, 0, 0, EPOCH, 0));
    }

    @Test
    void load_of_nonsense_is_refused_before_it_is_sent() {
        assertThatIllegalArgumentException().isThrownBy(() -> shard.load("7", 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> shard.load("7", 1, -1));
        assertThat(shard.count("7")).isEmpty();
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
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(done(RETURNED));

        assertThat(shard.count(PRODUCT)).contains(new StockCount(5, 5, 2, 2, 0, EPOCH, 1));
        assertThat(shard.holder(PRODUCT, "alice")).isEmpty();
        assertThat(shard.reserve(reserve(1, "alice", 2))).isEqualTo(answer(Word.GONE));
        assertThat(shard.reserve(reserve(2, "alice", 2))).isEqualTo(answer(Word.TAKEN));
    }

    @Test
    void burned_unit_never_sells_again() {
        shard.reserve(reserve(1, "alice", 5));
        assertThat(shard.giveBack(giveBack(1, "alice", BURN))).isEqualTo(done(BURNED));

        assertThat(shard.count(PRODUCT)).contains(new StockCount(0, 5, 5, 0, 5, EPOCH, 1));
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.GONE));
        assertThat(shard.reserve(reserve(2, "alice", 1)).isEmpty()).isTrue();
    }

    @Test
    void second_return_of_any_kind_changes_nothing() {
        shard.reserve(reserve(1, "alice", 1));
        shard.giveBack(giveBack(1, "alice", RETURN));
        shard.reserve(reserve(2, "alice", 1));

        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(done(ALREADY_DONE));
        assertThat(shard.giveBack(giveBack(1, "alice", BURN))).isEqualTo(done(ALREADY_DONE));
        assertThat(available()).isEqualTo(4);
        assertThat(shard.holder(PRODUCT, "alice")).contains(id(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void kept_reservation_goes_back_whatever_the_epoch_of_its_return(int epoch) {
        jedis.hset(RedisKeys.stock(PRODUCT), "epoch", "3");
        shard.reserve(reserve(1, "alice", 2));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN, epoch)))
                .isEqualTo(new ReturnOutcome(RETURNED, 3));
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN, epoch)))
                .isEqualTo(new ReturnOutcome(ALREADY_DONE, 3));
        assertThat(available()).isEqualTo(5);
        Books.Kept kept = shard.reservation(PRODUCT, id(1)).orElseThrow();
        assertThat(kept.state()).isEqualTo(Books.State.X);
        assertThat(kept.epoch()).as("its stamps stay").isEqualTo(3);
        assertThat(kept.seq()).isEqualTo(1);
    }

    /** The stock is in epoch 5 and was rebuilt in 3: what is absent since then was lost. */
    @ParameterizedTest
    @CsvSource({"1, OLDER", "2, OLDER", "3, LOST", "5, LOST", "6, NEWER", "999999999, NEWER"})
    void return_of_an_unknown_reservation_is_told_by_its_epoch(int epoch, ReturnOutcome.Word word) {
        jedis.hset(RedisKeys.stock(PRODUCT), Map.of("epoch", "5", "rebuilt", "3"));
        byte[][] before = dump();
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN, epoch)))
                .isEqualTo(new ReturnOutcome(word, 5));
        assertThat(dump()).isDeepEqualTo(before);
        assertThat(shard.reserve(reserve(1, "alice", 1))).isEqualTo(answer(Word.TAKEN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent", "", "0123456789abcdef0123456789abcdef01234567", "part"})
    void stock_that_is_not_open_for_this_very_process_gives_nothing_back(String openFor) {
        shard.reserve(reserve(1, "alice", 1));
        String ours = jedis.hget(RedisKeys.stock(PRODUCT), "open_for");
        if (openFor.equals("absent")) {
            jedis.hdel(RedisKeys.stock(PRODUCT), "open_for");
        } else {
            String value = openFor.equals("part") ? ours.substring(0, 39) : openFor;
            jedis.hset(RedisKeys.stock(PRODUCT), "open_for", value);
        }
        byte[][] before = dump();
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(GATED);
        assertThat(dump()).isDeepEqualTo(before);

        jedis.hset(RedisKeys.stock(PRODUCT), "open_for", ours);
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(done(RETURNED));
    }

    @Test
    void stock_that_is_being_rebuilt_is_gated() {
        jedis.del(RedisKeys.stock(PRODUCT));
        jedis.hset(RedisKeys.stock(PRODUCT), "building", "2");
        assertThat(shard.giveBack(giveBack(1, "alice", RETURN))).isEqualTo(GATED);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void wrong_typed_key_is_refused_and_changes_nothing(String key) {
        shard.reserve(reserve(1, "alice", 1));
        jedis.set(key, "not what it should be");
        byte[][] before = dump();

        assertThatThrownBy(() -> shard.reserve(reserve(2, "bob", 1)))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("WRONGTYPE");
        if (!key.equals(RedisKeys.outbox(PRODUCT))) {
            assertThatThrownBy(() -> shard.giveBack(giveBack(1, "alice", RETURN)))
                    .isInstanceOf(ShardDownException.class);
        }
        assertThat(dump()).isDeepEqualTo(before);
    }

    /** Those that reserve.lua changes or stamps; the others it does not even read. */
    private static final Set<String> RESERVE_WRITES =
            Set.of("available", "deducted", "seq", "epoch");

    @ParameterizedTest
    @MethodSource
    void damaged_counter_is_refused_before_the_first_write(String counter, String value) {
        shard.reserve(reserve(1, "alice", 1));
        if (value == null) {
            jedis.hdel(RedisKeys.stock(PRODUCT), counter);
        } else {
            jedis.hset(RedisKeys.stock(PRODUCT), counter, value);
        }
        byte[][] before = dump();

        if (RESERVE_WRITES.contains(counter)) {
            assertDamaged(() -> shard.reserve(reserve(2, "bob", 1)));
        }
        assertDamaged(() -> shard.giveBack(giveBack(1, "alice", RETURN)));
        assertDamaged(() -> shard.giveBack(giveBack(1, "alice", BURN)));
        assertDamaged(() -> shard.giveBack(giveBack(3, "carol", RETURN)));
        shard.load(PRODUCT, EPOCH, 100);
        assertThat(dump()).isDeepEqualTo(before);
    }

    static Stream<Arguments> damaged_counter_is_refused_before_the_first_write() {
        List<String> values = Arrays.asList(
                null,
                "",
                "many",
                "5.0",
                " 5",
                "5 ",
                "-1",
                "+5",
                "05",
                "5e0",
                "0x5",
                "1" + "0".repeat(15));
        Stream<Arguments> counters = Stream.concat(
                        Stream.of(StockCount.FIELDS), Stream.of("rebuilt"))
                .flatMap(counter -> values.stream().map(value -> Arguments.of(counter, value)));
        // What is stamped on a reservation must be an epoch to everybody who reads it.
        Stream<Arguments> epochs = Stream.of("0", "1000000000", "3000000000")
                .flatMap(value ->
                        Stream.of("epoch", "rebuilt").map(name -> Arguments.of(name, value)));
        return Stream.concat(counters, epochs);
    }

    private static void assertDamaged(ThrowingCallable command) {
        assertThatThrownBy(command)
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("DAMAGED");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "R",
                "R|alice|1|1",
                "R|alice|x|1|1|1",
                "R|alice|01|1|1|1",
                "R|alice|5.0|1|1|1",
                "R|alice|-1|1|1|1",
                "R|alice|1|1|1|x",
                "R|alice|1|1|1",
                "r|alice|1|1|1|1"
            })
    void damaged_reservation_is_not_given_back(String packed) {
        jedis.hset(RedisKeys.reservations(PRODUCT), id(1), packed);
        byte[][] before = dump();
        assertThatThrownBy(() -> shard.giveBack(giveBack(1, "alice", RETURN)))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("DAMAGED");
        assertThat(dump()).isDeepEqualTo(before);
    }

    private static Stream<String> keys() {
        return Stream.of(
                RedisKeys.stock(PRODUCT),
                RedisKeys.buyers(PRODUCT),
                RedisKeys.reservations(PRODUCT),
                RedisKeys.outbox(PRODUCT));
    }

    private static byte[][] dump() {
        return keys().map(jedis::dump)
                .map(bytes -> bytes == null ? new byte[0] : bytes)
                .toArray(byte[][]::new);
    }

    private static long available() {
        return shard.count(PRODUCT).orElseThrow().available();
    }

    private static ReturnOutcome done(ReturnOutcome.Word word) {
        return new ReturnOutcome(word, EPOCH);
    }

    private static ReserveOutcome answer(Word word) {
        return new ReserveOutcome(word, "", false);
    }
}
