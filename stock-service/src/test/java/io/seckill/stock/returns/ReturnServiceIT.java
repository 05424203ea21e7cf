package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Buyers;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

class ReturnServiceIT extends ReturnsCase {

    /** Threads handle duplicates at once: which of them writes the row first is left to chance. */
    @Test
    void return_delivered_five_times_gives_the_unit_back_once() {
        Buyers buyers = sale("301", 3);
        String id = buyers.take(0, "alice", 1);
        assertThat(stock.available("301")).containsExactly("0", "1", "1");

        Metrics before = stock.metrics();
        send(Collections.nCopies(5, buyers.message(id, 0, "alice", Action.RETURN)));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> grown("returns", before, stock.metrics()) >= 5);

        assertThat(grown("returned", before, stock.metrics())).isEqualTo(1);
        assertThat(stock.available("301")).containsExactly("1", "1", "1");
        assertThat(outcome(id)).isSubsetOf("RETURNED", "ALREADY_DONE");
    }

    @Test
    void burned_unit_does_not_come_back() {
        Buyers buyers = sale("302", 3);
        String id = buyers.take(0, "alice", 1);
        send(List.of(buyers.message(id, 0, "alice", Action.BURN)));
        awaitOutcome(id, "BURNED");
        assertThat(stock.available("302")).containsExactly("0", "1", "1");
    }

    /**
     * The order is live or was, so the shard had it: only a rebuild makes its books whole again.
     */
    @Test
    void return_of_what_its_shard_lost_has_the_shard_rebuilt_and_waits_for_that() {
        Buyers buyers = sale("303", 3);
        String id = Buyers.newId();
        stock.withoutRecovery(() -> {
            Metrics before = stock.metrics();
            StockReturn message = buyers.giveBack(id, 2, "alice", Action.RETURN);
            stock.bean(ReturnService.class).settle(List.of(message));
            stock.bean(ReturnService.class).retry();

            assertThat(outcome(id)).containsExactly("WAITING");
            assertThat(state("303", 2)).isEqualTo("RECOVERING");
            assertThat(state("303", 1)).isEqualTo("OPEN");
            assertThat(grown("lost", before, stock.metrics())).as("once").isEqualTo(1);
            assertThat(grown("differences", before, stock.metrics())).isEqualTo(1);
        });

        awaitOutcome(id, "OLDER");
        assertThat(answeredEpoch(id)).isEqualTo(2);
        assertThat(stock.available("303")).containsExactly("1", "1", "1");
        assertThat(stock.metrics().objections()).isEmpty();
    }

    /** What a shard in an epoch that is over proves says nothing of the present one. */
    @Test
    void loss_in_an_epoch_that_is_over_does_not_close_the_present_one() {
        Buyers buyers = sale("304", 3);
        String id = Buyers.newId();
        stock.withoutRecovery(() -> {
            stock.sql().update("UPDATE shard_ledger SET epoch = 2 WHERE product_id = '304'");
            StockReturn message = buyers.giveBack(id, 2, "alice", Action.RETURN);
            stock.bean(ReturnService.class).settle(List.of(message));

            assertThat(outcome(id)).containsExactly("WAITING");
            assertThat(state("304", 2)).isEqualTo("OPEN");
            rebuilt("304", 2, 2);
            awaitOutcome(id, "OLDER");
        });
    }

    @Test
    void return_to_a_retired_shard_ends_retired_and_asks_nobody() {
        Buyers buyers = sale("306", 3);
        String id = buyers.take(1, "alice", 1);
        ledger("306", 1, "RETIRED");
        stock.shards.get(1).kill();
        try {
            send(List.of(buyers.message(id, 1, "alice", Action.RETURN)));
            awaitOutcome(id, "RETIRED");
        } finally {
            stock.shards.get(1).start();
        }
        assertThat(stock.available("306").get(1)).isEqualTo("0");
    }

    @Test
    void batch_settles_each_of_its_returns_once_whatever_is_among_them() {
        Buyers buyers = sale("330", 30);
        List<StockReturn> batch = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String user = "u-" + i;
            Action action = i % 2 == 0 ? Action.RETURN : Action.BURN;
            String id = buyers.take(i % 3, user, 1);
            batch.add(buyers.giveBack(id, i % 3, user, action));
        }
        batch.addAll(List.copyOf(batch));
        Collections.reverse(batch);
        batch.add(7, new Buyers(stock, "398").giveBack(Buyers.newId(), 0, "x", Action.RETURN));
        Metrics before = stock.metrics();
        stock.bean(ReturnService.class).settle(batch);

        Metrics after = stock.metrics();
        assertThat(grown("returned", before, after)).isEqualTo(5);
        assertThat(grown("burned", before, after)).isEqualTo(5);
        assertThat(grown("repeated", before, after)).isEqualTo(10);
        assertThat(grown("parked", before, after)).isEqualTo(1);
        assertThat(stock.available("330")).containsExactly("8", "8", "9");
    }

    @Test
    void crash_between_the_script_and_the_row_gives_back_once() {
        Buyers buyers = sale("305", 3);
        String id = buyers.take(0, "alice", 1);
        StockReturn message = buyers.giveBack(id, 0, "alice", Action.RETURN);
        stock.bean(ReturnService.class).settle(List.of(message));
        stock.sql().update("DELETE FROM stock_return WHERE reservation_id = ?", id);

        stock.bean(ReturnService.class).settle(List.of(message));

        assertThat(outcome(id)).containsExactly("ALREADY_DONE");
        assertThat(answeredEpoch(id)).isEqualTo(1);
        assertThat(stock.available("305")).containsExactly("1", "1", "1");
    }

    @Test
    void forged_and_unreadable_messages_are_parked_with_the_reason() {
        Buyers buyers = sale("307", 3);
        String id = Buyers.newId();
        String good = buyers.message(id, 0, "mallory", Action.RETURN);
        List<String> forged = List.of(
                good.replace("\"307\"", "\"399\""),
                good.replace("\"shard\":0", "\"shard\":3").replace(id, Buyers.newId()),
                "{\"reservationId\":\"307-no-json");
        send(forged);

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(parked())
                        .anyMatch(reason -> reason.equals("there is no sale of 399"))
                        .anyMatch(reason -> reason.equals("the sale of 307 has no shard 3"))
                        .anyMatch(reason -> reason.startsWith("not a StockReturn")));
        assertThat(stock.available("307")).containsExactly("1", "1", "1");
        assertThat(outcome(id)).isEmpty();
    }

    /** Unless it is cut to what the table takes it comes again for ever and holds a thread. */
    @Test
    void unreadable_message_of_any_size_is_parked() {
        send(List.of("{\"huge-308\":\"" + "\uD83D\uDE00".repeat(40_000)));

        await().atMost(Duration.ofSeconds(20))
                .until(
                        () -> stock.sql()
                                .queryForList(
                                        "SELECT CHAR_LENGTH(body) FROM parked_message WHERE body LIKE '{\"huge-308%'",
                                        Integer.class),
                        List.of(16_000)::equals);
    }

    @ParameterizedTest
    @CsvSource({"331, 1, 2", "332, 2, 1"})
    void return_of_a_kept_reservation_is_done_whatever_its_epoch(
            String product, int ofShard, int ofReturn) {
        Buyers buyers = sale(product, 3);
        stock.withoutRecovery(() -> {
            setEpoch(product, ofShard);
            String id = buyers.take(0, "alice", 1);
            send(List.of(in(ofReturn, buyers.message(id, 0, "alice", Action.RETURN))));

            awaitOutcome(id, "RETURNED");
            assertThat(stock.available(product)).containsExactly("1", "1", "1");
        });
    }

    @Test
    void unknown_reservation_of_an_epoch_to_come_waits_until_the_shard_is_there() {
        Buyers buyers = sale("309", 3);
        String id = Buyers.newId();
        int parkedBefore = parked().size();
        send(List.of(in(2, buyers.message(id, 0, "alice", Action.RETURN))));

        awaitOutcome(id, "WAITING");
        stock.bean(ReturnService.class).retry();
        assertThat(outcome(id)).containsExactly("WAITING");
        assertThat(state("309", 0)).isEqualTo("OPEN");
        assertThat(parked()).hasSize(parkedBefore);

        rebuilt("309", 0, 3);
        awaitOutcome(id, "OLDER");
        assertThat(stock.available("309")).containsExactly("1", "1", "1");
    }

    /** As after a promotion: the ledger has gone on, and an old master still answers. */
    @Test
    void word_of_an_epoch_that_is_over_is_not_final() {
        Buyers buyers = sale("333", 3);
        stock.withoutRecovery(() -> {
            String id = buyers.take(0, "alice", 1);
            stock.sql().update("UPDATE shard_ledger SET epoch = 2 WHERE product_id = '333'");
            StockReturn message = buyers.giveBack(id, 0, "alice", Action.RETURN);
            stock.bean(ReturnService.class).settle(List.of(message));
            assertThat(outcome(id)).containsExactly("WAITING");

            setEpoch("333", 2);
            stock.bean(ReturnService.class).retry();
            assertThat(outcome(id)).containsExactly("ALREADY_DONE");
            assertThat(answeredEpoch(id)).isEqualTo(2);
            assertThat(stock.available("333")).containsExactly("1", "1", "1");
        });
    }

    private int answeredEpoch(String id) {
        return stock.sql()
                .queryForObject(
                        "SELECT answered_epoch FROM stock_return WHERE reservation_id = ?",
                        Integer.class,
                        id);
    }

    private static String in(int epoch, String message) {
        return message.replace("\"epoch\":1", "\"epoch\":" + epoch);
    }

    private void setEpoch(String product, int epoch) {
        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.hset(RedisKeys.stock(product), "epoch", Integer.toString(epoch));
        }
    }
}
