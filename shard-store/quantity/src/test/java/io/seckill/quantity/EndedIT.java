package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.BURN;
import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityRecovery.Rebuilt;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a user's mark was is how the reservation ended. */
class EndedIT extends OneShard {

    private static final String KEY = RedisKeys.ended(PRODUCT);
    private static final String SN = "1".repeat(24);

    @BeforeEach
    void load() {
        shard.load(PRODUCT, EPOCH, 5);
        shard.reserve(reserve(1, "alice", 1));
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void user_whose_units_are_gone_is_told_how_it_ended(Action action) {
        assertThat(mark("alice").ended()).isEmpty();
        assertThat(end(1, action, cancelled(1)).name()).startsWith(action.name());

        Mark mark = mark("alice");
        assertThat(mark.reservationId()).isEmpty();
        assertThat(mark.ended()).contains(cancelled(1));
        assertThat(mark("bob").ended()).isEmpty();
    }

    @Test
    void rejected_reservation_has_a_reason_and_no_order() {
        end(1, BURN, rejected(1, "any | reason"));
        assertThat(mark("alice").ended()).contains(rejected(1, "any | reason"));
    }

    @Test
    void next_reservation_is_told_instead_and_then_how_that_ended() {
        end(1, RETURN, rejected(1, "BACKLOG"));
        shard.reserve(reserve(2, "alice", 1));
        Mark held = mark("alice");
        assertThat(held.reservationId()).contains(id(2));
        assertThat(held.ended()).isEmpty();

        end(2, RETURN, cancelled(2));
        assertThat(mark("alice").ended()).contains(cancelled(2));
        assertThat(jedis.hlen(KEY)).as("one line per user").isEqualTo(1);
    }

    @Test
    void repeated_return_tells_nothing_new() {
        end(1, RETURN, rejected(1, "BACKLOG"));
        assertThat(end(1, RETURN, rejected(1, "INVALID")))
                .isEqualTo(ReturnOutcome.Word.ALREADY_DONE);
        assertThat(mark("alice").ended()).contains(rejected(1, "BACKLOG"));
    }

    @Test
    void late_return_does_not_touch_the_mark_of_the_next_reservation() {
        jedis.hdel(RedisKeys.buyers(PRODUCT), "alice");
        shard.reserve(reserve(2, "alice", 1));
        assertThat(end(1, RETURN, rejected(1, "BACKLOG"))).isEqualTo(ReturnOutcome.Word.RETURNED);
        assertThat(mark("alice").reservationId()).contains(id(2));
        assertThat(jedis.exists(KEY)).isFalse();
    }

    @Test
    void reservation_of_which_nobody_knows_how_it_ended_leaves_no_earlier_word() {
        end(1, RETURN, rejected(1, "BACKLOG"));
        shard.reserve(reserve(2, "alice", 1));
        shard.giveBack(giveBack(2, "alice", RETURN));
        assertThat(mark("alice").ended()).isEmpty();
    }

    @Test
    void return_of_what_is_not_kept_leaves_no_word() {
        assertThat(end(7, RETURN, rejected(7, "BACKLOG"))).isEqualTo(ReturnOutcome.Word.LOST);
        assertThat(jedis.exists(KEY)).isFalse();
    }

    /** It counts nothing: no unit may strand for it, and no mark be hidden. */
    @Test
    void key_of_a_wrong_type_says_nothing_and_is_replaced_by_the_next_return() {
        jedis.set(KEY, "mine");
        assertThat(mark("alice").reservationId()).contains(id(1));
        assertThat(mark("bob")).isEqualTo(new Mark(false, Optional.empty(), false, false, none()));
        assertThat(end(1, RETURN, cancelled(1))).isEqualTo(ReturnOutcome.Word.RETURNED);
        assertThat(mark("alice").ended()).contains(cancelled(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mine",
                "00000000000000000000000000000001|1|REJECTED|",
                "1|1|REJECTED||BACKLOG",
                "00000000000000000000000000000001|x|REJECTED||BACKLOG",
                "00000000000000000000000000000001|1|ORDERED|111111111111111111111111|x",
                "00000000000000000000000000000001|1|PENDING||x",
                "00000000000000000000000000000001|1|CANCELLED|11|PAY_TIMEOUT"
            })
    void damaged_word_is_none(String packed) {
        jedis.hset(KEY, "bob", packed);
        assertThat(mark("bob")).isEqualTo(new Mark(false, Optional.empty(), false, false, none()));
    }

    @Test
    void live_order_is_none_that_ended_and_a_cancelled_one_has_a_number() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Ended(id(1), 7, Status.ORDERED, SN, "x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Ended(id(1), 7, Status.CANCELLED, null, "x"));
    }

    @Test
    void full_memory_still_tells_how_it_ended() {
        try {
            jedis.configSet("maxmemory", "1");
            end(1, RETURN, cancelled(1));
            assertThat(mark("alice").ended()).contains(cancelled(1));
        } finally {
            jedis.configSet("maxmemory", "0");
        }
    }

    @Test
    void how_it_ended_survives_a_rebuild_and_is_told_by_no_closed_gate() {
        end(1, RETURN, cancelled(1));
        QuantityRecovery recovery = new QuantityRecovery(shard.shard());
        String identity = recovery.state(PRODUCT).identity();
        assertThat(recovery.begin(PRODUCT, identity, 2)).isTrue();
        assertThat(mark("alice")).isEqualTo(new Mark(true, Optional.empty(), true, false, none()));
        recovery.end(PRODUCT, identity, 2, new Rebuilt(0, 5, 0, false));
        recovery.open(PRODUCT, recovery.state(PRODUCT), 2);
        assertThat(mark("alice").ended()).contains(cancelled(1));
    }

    /** The user may hold a later one by then, which is told first, and then how that ended. */
    @Test
    void return_that_a_rebuild_has_counted_tells_how_it_ended_but_of_no_earlier_one() {
        rebuildFromNothing();
        assertThat(end(2, RETURN, cancelled(2))).isEqualTo(ReturnOutcome.Word.OLDER);
        assertThat(mark("alice").ended()).contains(cancelled(2));
        assertThat(end(1, RETURN, rejected(1, "BACKLOG"))).isEqualTo(ReturnOutcome.Word.OLDER);
        assertThat(mark("alice").ended()).contains(cancelled(2));
        assertThat(end(3, BURN, rejected(3, "LEDGER_FULL"))).isEqualTo(ReturnOutcome.Word.OLDER);
        assertThat(mark("alice").ended()).contains(rejected(3, "LEDGER_FULL"));
        shard.giveBack(giveBack(4, "alice", RETURN));
        assertThat(mark("alice").ended()).as("nobody knows").contains(rejected(3, "LEDGER_FULL"));

        shard.reserve(reserve(5, "alice", 1));
        end(4, RETURN, cancelled(4));
        assertThat(mark("alice").reservationId()).contains(id(5));
        end(5, RETURN, cancelled(5));
        assertThat(mark("alice").ended()).contains(cancelled(5));
        assertThat(shard.count(PRODUCT).orElseThrow().available())
                .as("counted once")
                .isEqualTo(5);
    }

    @Test
    void return_that_a_rebuild_has_counted_replaces_what_is_damaged() {
        rebuildFromNothing();
        jedis.set(KEY, "mine");
        end(1, RETURN, cancelled(1));
        assertThat(mark("alice").ended()).contains(cancelled(1));
        jedis.hset(KEY, "alice", "mine");
        end(2, RETURN, cancelled(2));
        assertThat(mark("alice").ended()).contains(cancelled(2));
    }

    /** In the next epoch, from no live order at all. */
    private static void rebuildFromNothing() {
        QuantityRecovery recovery = new QuantityRecovery(shard.shard());
        String identity = recovery.state(PRODUCT).identity();
        recovery.begin(PRODUCT, identity, EPOCH + 1);
        recovery.end(PRODUCT, identity, EPOCH + 1, new Rebuilt(0, 5, 0, false));
        recovery.open(PRODUCT, recovery.state(PRODUCT), EPOCH + 1);
    }

    @Test
    void removed_product_tells_of_nobody() {
        end(1, RETURN, cancelled(1));
        jedis.del(RedisKeys.outbox(PRODUCT));
        assertThat(shard.remove(PRODUCT, 1)).isTrue();
        assertThat(jedis.keys("*")).isEmpty();
    }

    private static ReturnOutcome.Word end(int id, Action action, Ended ended) {
        return shard.giveBackAsync(giveBack(id, "alice", action), Optional.of(ended))
                .join()
                .word();
    }

    private static Ended cancelled(int id) {
        return new Ended(id(id), 7, Status.CANCELLED, SN, "PAY_TIMEOUT");
    }

    private static Ended rejected(int id, String reason) {
        return new Ended(id(id), 7, Status.REJECTED, null, reason);
    }

    private static Optional<Ended> none() {
        return Optional.empty();
    }

    private static Mark mark(String user) {
        return shard.markAsync(PRODUCT, user).join();
    }
}
