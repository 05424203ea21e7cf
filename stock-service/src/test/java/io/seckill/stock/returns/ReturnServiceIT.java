package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Buyers;
import io.seckill.testkit.Metrics;
import java.time.Duration;
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

    @Test
    void return_of_a_reservation_no_shard_knows_leaves_a_tombstone_and_no_unit() {
        Buyers buyers = sale("303", 3);
        String id = Buyers.newId();
        send(List.of(buyers.message(id, 2, "alice", Action.RETURN)));
        awaitOutcome(id, "TOMBSTONED");
        assertThat(stock.available("303")).containsExactly("1", "1", "1");
        try (Jedis shard = stock.shards.get(2).connect()) {
            assertThat(shard.hget(RedisKeys.reservations("303"), id)).startsWith("T|alice|1|");
        }
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
        setEpoch(product, ofShard);
        String id = buyers.take(0, "alice", 1);
        send(List.of(in(ofReturn, buyers.message(id, 0, "alice", Action.RETURN))));

        awaitOutcome(id, "RETURNED");
        assertThat(stock.available(product)).containsExactly("1", "1", "1");
    }

    /** Only the shard's own life can tell that a reservation was never there. */
    @ParameterizedTest
    @CsvSource({"309, 1, 2", "310, 2, 1"})
    void unknown_reservation_of_another_epoch_waits_and_is_never_parked(
            String product, int ofShard, int ofReturn) {
        Buyers buyers = sale(product, 3);
        setEpoch(product, ofShard);
        String id = Buyers.newId();
        int parkedBefore = parked().size();
        send(List.of(in(ofReturn, buyers.message(id, 0, "alice", Action.RETURN))));

        awaitOutcome(id, "WAITING");
        stock.bean(ReturnService.class).retry();
        assertThat(outcome(id)).containsExactly("WAITING");
        assertThat(parked()).hasSize(parkedBefore);

        setEpoch(product, ofReturn);
        awaitOutcome(id, "TOMBSTONED");
        assertThat(stock.available(product)).containsExactly("1", "1", "1");
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
