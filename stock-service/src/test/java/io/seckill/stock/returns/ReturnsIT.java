package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.mq.MessageSender;
import io.seckill.common.mq.MessageSender.Outgoing;
import io.seckill.contracts.Keys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.shard.ShardDownException;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class ReturnsIT {

    private final Stock stock = Stock.running();
    private MessageSender sender;

    @BeforeEach
    void start() {
        sender = new MessageSender("stock-it", Address.of(stock.broker.namesrv()));
        sender.start();
    }

    @AfterEach
    void stop() {
        sender.stop();
    }

    /** Threads handle duplicates at once: which of them writes the row first is left to chance. */
    @Test
    void return_delivered_five_times_gives_the_unit_back_once() {
        Buyers buyers = sale("301", 3);
        String id = buyers.take(0, "alice", 1);
        assertThat(stock.available("301")).containsExactly("0", "1", "1");

        send(Collections.nCopies(5, buyers.message(id, 0, "alice", Action.RETURN)));
        await().atMost(Duration.ofSeconds(20)).until(() -> !outcome(id).isEmpty());
        send(List.of(buyers.message(id, 0, "alice", Action.RETURN)));
        String marker = buyers.take(1, "bob", 1);
        send(List.of(buyers.message(marker, 1, "bob", Action.RETURN)));
        awaitOutcome(marker, "RETURNED");

        assertThat(stock.available("301")).containsExactly("1", "1", "1");
        assertThat(outcome(id)).hasSize(1).isSubsetOf("RETURNED", "ALREADY_DONE");
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
            assertThat(shard.hget(Keys.reservations("303"), id)).startsWith("T|alice|1|");
        }
    }

    @Test
    void return_to_a_dead_shard_waits_for_it_and_others_do_not_wait() {
        Buyers buyers = sale("304", 9);
        String dead = buyers.take(0, "alice", 1);
        String alive = buyers.take(1, "bob", 1);
        stock.shards.get(0).kill();
        try {
            send(List.of(buyers.message(dead, 0, "alice", Action.RETURN),
                    buyers.message(alive, 1, "bob", Action.RETURN)));
            awaitOutcome(alive, "RETURNED");
            assertThat(outcome(dead)).isEmpty();
            assertThat(stock.health().body().get("status")).isEqualTo("UP");
        } finally {
            stock.shards.get(0).start();
        }
        awaitOutcome(dead, "RETURNED");
        assertThat(stock.available("304")).containsExactly("3", "3", "3");
    }

    @Test
    void crash_between_the_script_and_the_row_gives_back_once() {
        Buyers buyers = sale("305", 3);
        String id = buyers.take(0, "alice", 1);
        StockReturn message = buyers.giveBack(id, 0, "alice", Action.RETURN);
        stock.bean(Returns.class).handle(List.of(message));
        stock.sql().update("DELETE FROM stock_return WHERE reservation_id = ?", id);

        stock.bean(Returns.class).handle(List.of(message));

        assertThat(outcome(id)).containsExactly("ALREADY_DONE");
        assertThat(stock.available("305")).containsExactly("1", "1", "1");
    }

    @Test
    void damaged_reservation_keeps_none_but_itself_waiting() {
        Buyers buyers = sale("306", 9);
        String bad = buyers.take(0, "alice", 1);
        String good = buyers.take(0, "bob", 1);
        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.hset(Keys.reservations("306"), bad, "R|alice");
        }
        List<StockReturn> batch = List.of(buyers.giveBack(bad, 0, "alice", Action.RETURN),
                buyers.giveBack(good, 0, "bob", Action.RETURN));

        assertThatThrownBy(() -> stock.bean(Returns.class).handle(batch))
                .isInstanceOf(ShardDownException.class).hasMessageContaining("DAMAGED");

        assertThat(outcome(good)).containsExactly("RETURNED");
        assertThat(outcome(bad)).isEmpty();
    }

    @Test
    void forged_and_unreadable_messages_are_parked_with_the_reason() {
        Buyers buyers = sale("307", 3);
        String id = Buyers.newId();
        String good = buyers.message(id, 0, "mallory", Action.RETURN);
        List<String> forged = List.of(
                good.replace("\"307\"", "\"399\""),
                good.replace("\"shard\":0", "\"shard\":3").replace(id, Buyers.newId()),
                good.replace("\"epoch\":1", "\"epoch\":2").replace(id, Buyers.newId()),
                "{\"reservationId\":\"307-no-json");
        send(forged);

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(parked())
                .anyMatch(reason -> reason.equals("there is no sale of 399"))
                .anyMatch(reason -> reason.equals("the sale of 307 has no shard 3"))
                .anyMatch(reason -> reason.equals("the sale of 307 has no epoch 2"))
                .anyMatch(reason -> reason.startsWith("not a StockReturn")));
        assertThat(stock.available("307")).containsExactly("1", "1", "1");
        assertThat(outcome(id)).isEmpty();
    }

    private Buyers sale(String productId, int units) {
        assertThat(stock.create("{'productId':'" + productId + "','stock':" + units + "}").status())
                .isEqualTo(201);
        return new Buyers(stock, productId);
    }

    private void send(List<String> bodies) {
        assertThat(sender.send(StockReturn.TOPIC,
                bodies.stream().map(body -> new Outgoing("key", body)).toList())).isTrue();
    }

    private void awaitOutcome(String id, String outcome) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(outcome(id)).containsExactly(outcome));
    }

    private List<String> outcome(String id) {
        return stock.sql().queryForList(
                "SELECT outcome FROM stock_return WHERE reservation_id = ?", String.class, id);
    }

    private List<String> parked() {
        return stock.sql().queryForList(
                "SELECT reason FROM parked_message WHERE service = 'stock-service'", String.class);
    }
}
