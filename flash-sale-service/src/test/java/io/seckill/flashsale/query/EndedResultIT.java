package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.flashsale.Hop;
import io.seckill.quantity.Ended;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.quantity.ReturnOutcome;
import io.seckill.testkit.RedisProcess;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Of a unit that is back its buyer is told what its shard says, where no result is kept. */
class EndedResultIT extends Hop {

    private static final String SN = "1".repeat(24);
    private static final Map<String, Object> PENDING = Map.of("status", "PENDING");
    private static final Map<String, Object> REJECTED =
            Map.of("status", "REJECTED", "reason", "BACKLOG");
    private static final Map<String, Object> CANCELLED =
            Map.of("status", "CANCELLED", "orderSn", SN, "reason", "PAY_TIMEOUT");

    @Autowired
    private ResultStore results;

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void unit_that_is_back_before_its_event_is_told_with_its_reason(String soldOut) {
        sell(Map.of("sold_out", soldOut), 1, 1, 1);
        String id = mark("alice", home("alice"));
        assertThat(result("alice").body()).isEqualTo(PENDING);
        end(home("alice"), rejected(id), Action.RETURN);
        awaitAfterPending("alice", REJECTED);

        results.store(List.of(event(id, Status.REJECTED)));
        assertThat(poll("alice")).isEqualTo(REJECTED);
    }

    @Test
    void burned_unit_is_told_likewise() {
        sell(1, 1, 1);
        String id = mark("alice", home("alice"));
        end(home("alice"), rejected(id), Action.BURN);
        assertThat(poll("alice")).isEqualTo(REJECTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.class,
            names = {"REJECTED", "CANCELLED"})
    void what_ended_is_told_still_when_the_control_redis_lost_everything(Status status) {
        sell(1, 1, 1);
        String id = mark("alice", home("alice"));
        results.store(List.of(event(id, Status.ORDERED)));
        results.store(List.of(event(id, status)));
        Map<String, Object> told = poll("alice");
        end(home("alice"), status == Status.REJECTED ? rejected(id) : cancelled(id), Action.RETURN);

        onControl(jedis -> jedis.flushAll());
        sell(1, 1, 1);

        assertThat(told).isEqualTo(status == Status.REJECTED ? REJECTED : CANCELLED);
        assertThat(poll("alice")).isEqualTo(told);
    }

    /** It was lost on its way, or waits at another instance. */
    @Test
    void event_of_the_order_that_comes_after_its_end_was_told_takes_nothing_back() {
        sell(1, 1, 1);
        String id = mark("alice", home("alice"));
        end(home("alice"), cancelled(id), Action.RETURN);
        assertThat(poll("alice")).isEqualTo(CANCELLED);
        results.store(List.of(event(id, Status.ORDERED)));
        assertThat(poll("alice")).isEqualTo(CANCELLED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void event_of_an_earlier_order_that_comes_late_takes_nothing_back(boolean isLaterKept) {
        sell(2, 2, 2);
        int home = home("alice");
        String earlier = mark("alice", home);
        end(home, cancelled(earlier), Action.RETURN);
        String later = mark("alice", (home + 1) % SHARDS.size());
        end((home + 1) % SHARDS.size(), rejected(later), Action.RETURN);
        if (isLaterKept) {
            results.store(List.of(event(later, Status.REJECTED)));
        }
        assertThat(poll("alice")).isEqualTo(REJECTED);
        results.store(List.of(event(earlier, Status.ORDERED)));
        assertThat(poll("alice")).isEqualTo(REJECTED);
    }

    @Test
    void what_was_found_in_a_shard_is_kept_once_and_its_shard_is_not_needed_then() {
        sell(1, 1, 1);
        String id = mark("alice", home("alice"));
        end(home("alice"), cancelled(id), Action.RETURN);
        poll("alice");
        onControl(jedis ->
                assertThat(jedis.hgetAll(RedisKeys.result(product, "alice"))).containsOnlyKeys(id));
        QuantityStock shard = shards.get(home("alice"));
        try (var jedis = SHARDS.get(shard.index()).connect()) {
            jedis.del(RedisKeys.ended(product));
        }
        assertThat(poll("alice")).isEqualTo(CANCELLED);
    }

    @Test
    void next_try_is_pending_and_then_told_as_it_ends() {
        sell(1, 1, 1);
        String first = mark("alice", home("alice"));
        end(home("alice"), rejected(first), Action.RETURN);
        assertThat(poll("alice")).isEqualTo(REJECTED);

        assertThat(deduct("alice").status()).isEqualTo(202);
        assertThat(result("alice").body()).isEqualTo(PENDING);
        String next = books(shards.get(home("alice"))).buyers().get("alice");
        end(home("alice"), cancelled(next), Action.RETURN);
        awaitAfterPending("alice", CANCELLED);
    }

    /** Two shards sold; the live order stands, and its loser went back. */
    @Test
    void loser_of_two_shards_hides_neither_the_mark_nor_the_order_of_the_winner() {
        sell(1, 1, 1);
        String user = userAt(0, 1);
        String winner = mark(user, 1);
        String loser = mark(user, 0);
        end(0, new Ended(loser, nowMs(), Status.REJECTED, null, "DUPLICATE_USER"), Action.RETURN);
        assertThat(poll(user)).isEqualTo(PENDING);
        results.store(List.of(event(winner, user, Status.ORDERED)));
        assertThat(poll(user).get("status")).isEqualTo("ORDERED");
    }

    /** In the control Redis, or in another shard. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void newest_of_what_ended_is_told_wherever_it_is_known(boolean isKept, boolean isShardNewer) {
        sell(1, 1, 1);
        String user = userAt(0, 1);
        String inShard = mark(user, 0);
        String other = mark(user, 1);
        long shardMs = isShardNewer ? 2_000 : 1_000;
        end(0, new Ended(inShard, shardMs, Status.REJECTED, null, "BACKLOG"), Action.RETURN);
        Ended elsewhere = new Ended(other, 1_500, Status.CANCELLED, SN, "PAY_TIMEOUT");
        if (isKept) {
            results.store(List.of(new OrderEvent(
                    other, product, user, 1_500, Status.CANCELLED, SN, 1, "PAY_TIMEOUT")));
        }
        end(1, elsewhere, Action.RETURN);
        assertThat(poll(user)).isEqualTo(isShardNewer ? REJECTED : CANCELLED);
    }

    @Test
    void attempt_that_nobody_knew_of_is_told_by_the_shard_that_gave_its_unit_back() {
        sell(1, 1, 1);
        String id = mark("alice", home("alice"));
        // Far ahead: nobody looks whether it was taken meanwhile.
        Unknown attempt = new Unknown(id, product, "alice", nowMs() + 600_000);
        assertThat(results.storeUnknown(home("alice"), attempt).join()).isTrue();
        assertThat(poll("alice")).isEqualTo(PENDING);
        // As of a shard whose clock is behind.
        end(home("alice"), new Ended(id, 1, Status.REJECTED, null, "BACKLOG"), Action.RETURN);
        awaitAfterPending("alice", REJECTED);
    }

    @Test
    void shard_that_is_away_may_know_of_a_later_one() {
        sell(1, 1, 1);
        String user = userAt(0, 1);
        end(0, rejected(mark(user, 0)), Action.RETURN);
        SHARDS.get(1).kill();
        try {
            assertThat(result(user).text("code")).isEqualTo("BUSY");
        } finally {
            takeBack(1);
        }
        assertThat(poll(user)).isEqualTo(REJECTED);
    }

    @Test
    void damaged_word_of_a_shard_is_none() {
        sell(1, 1, 1);
        for (RedisProcess shard : SHARDS) {
            try (var jedis = shard.connect()) {
                jedis.hset(RedisKeys.ended(product), "alice", "mine");
            }
        }
        assertThat(poll("alice")).isEqualTo(Map.of("status", "NONE"));
    }

    /** Who was told PENDING may be told so for a moment more, and nothing else in between. */
    private void awaitAfterPending(String user, Map<String, Object> expected) {
        await().until(() -> {
            Map<String, Object> told = poll(user);
            assertThat(told).isIn(PENDING, expected);
            return told.equals(expected);
        });
    }

    /** A busy machine may leave a shard out for a moment. */
    private Map<String, Object> poll(String user) {
        Answer answer = result(user);
        for (int i = 0; i < 20 && answer.status() == 503; i++) {
            surely(() ->
                    shards.all().stream().map(shard -> shard.count(product)).toList());
            answer = result(user);
        }
        return answer.body();
    }

    private void end(int shard, Ended ended, Action action) {
        QuantityStock from = shards.get(shard);
        StockReturn message = new StockReturn(
                ended.reservationId(), product, "any", 1, shard, 1, action, ended.reason());
        ReturnOutcome outcome =
                surely(() -> from.giveBackAsync(message, Optional.of(ended)).join());
        assertThat(outcome.word().name()).startsWith(action.name());
    }

    private static Ended rejected(String id) {
        return new Ended(id, nowMs(), Status.REJECTED, null, "BACKLOG");
    }

    private static Ended cancelled(String id) {
        return new Ended(id, nowMs(), Status.CANCELLED, SN, "PAY_TIMEOUT");
    }

    private OrderEvent event(String id, Status status) {
        return event(id, "alice", status);
    }

    private OrderEvent event(String id, String user, Status status) {
        String reason = Map.of(Status.REJECTED, "BACKLOG", Status.CANCELLED, "PAY_TIMEOUT")
                .get(status);
        return new OrderEvent(id, product, user, nowMs(), status, SN, 1, reason);
    }

    /** Takes a unit for the user in this very shard. */
    private String mark(String user, int shard) {
        String id = "%012x%020x".formatted(nowMs(), shard);
        Reserve wish = new Reserve(id, product, user, 1, true, Long.MAX_VALUE / 2);
        assertThat(surely(() -> shards.get(shard).reserve(wish)).word())
                .isEqualTo(ReserveOutcome.Word.TAKEN);
        return id;
    }

    private static long nowMs() {
        return System.currentTimeMillis();
    }
}
