package io.seckill.stock.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.Json;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import io.seckill.stock.returns.ReturnService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class AuditQueryIT {

    private final Stock stock = Stock.running();

    @Test
    void books_of_a_sale_with_orders_and_returns_balance_and_have_the_promised_shape() {
        Buyers buyers = sale("401");
        buyers.buy(0, "alice", 2);
        buyers.buy(1, "bob", 1);
        String cancelled = buyers.buy(2, "carol", 1);
        buyers.cancel(cancelled, 2, 1);
        stock.bean(ReturnService.class)
                .settle(List.of(buyers.giveBack(cancelled, 2, "carol", Action.RETURN)));

        await().atMost(Duration.ofSeconds(20))
                .until(
                        () -> // its group commits every 5 s
                        pending("401").get("returnMessages").equals(0));
        Answer answer = stock.audit("401");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().toString())
                .isEqualTo("{balanced=true, products=[{productId=401, "
                        + "stockTotal=9, shards=["
                        + "{shard=0, allocated=3, available=1, liveOrders=2, reserved=2, returned=0}, "
                        + "{shard=1, allocated=3, available=2, liveOrders=1, reserved=1, returned=0}, "
                        + "{shard=2, allocated=3, available=3, liveOrders=0, reserved=0, returned=1}], "
                        + "liveOrders=3, duplicateBuyers=0, oversold=0, reservationsWithoutOrder=0, "
                        + "lostReservations=0, unexpectedOrders=0, differences=[]}], "
                        + "pending={outboxEntries=3, reservationMessages=0, orderOutbox=0, "
                        + "returnMessages=0, returns=0}}");
    }

    @Test
    void reservation_without_an_order_is_lost() {
        Buyers buyers = sale("402");
        String id = buyers.take(1, "alice", 1);
        String difference = "Q2 product 402, shard 1: 1 reservations without a live order: " + id;
        assertFinds("402", "lostReservations", 0, difference); // the outbox has it
        try (Jedis shard = stock.shards.get(1).connect()) {
            shard.del(RedisKeys.outbox("402"));
        }
        assertFinds("402", "lostReservations", 1, difference);
        assertFinds("402", "reservationsWithoutOrder", 1, difference);
    }

    @Test
    void reservation_whose_message_waits_in_the_broker_is_pending_and_not_lost() {
        Buyers buyers = sale("410");
        String id = buyers.take(0, "alice", 1);
        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.del(RedisKeys.outbox("410"));
        }
        assertThat(stock.bean(MessageSender.class)
                        .send(
                                Reservation.TOPIC,
                                IntStream.range(0, 3)
                                        .mapToObj(i -> new Outgoing(
                                                id, Json.write(buyers.reservation(id, 0, "alice"))))
                                        .toList()))
                .isTrue();
        String difference = "Q2 product 410, shard 0: 1 reservations without a live order: " + id;

        try {
            await().untilAsserted( // the broker counts a message a moment after it has it
                            () -> assertThat(pending("410").get("reservationMessages"))
                                    .isEqualTo(3));
            assertFinds("410", "lostReservations", 0, difference);
        } finally {
            consumeReservations(3);
        }
        assertFinds("410", "lostReservations", 1, difference);
    }

    @Test
    void broker_that_is_silent_leaves_its_numbers_unknown() throws Exception {
        sale("411");
        signalBroker("-STOP");
        try {
            assertUnknown("411");
        } finally {
            signalBroker("-CONT");
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> pending("411").get("reservationMessages") != null);
        assertThat(stock.audit("411").body().get("balanced")).isEqualTo(true);
    }

    @Test
    void order_without_a_reservation_is_unexpected() {
        Buyers buyers = sale("403");
        String id = Buyers.newId();
        buyers.order(id, 2, "alice", 1);
        assertFinds(
                "403",
                "unexpectedOrders",
                1,
                "Q2 product 403, shard 2: 1 orders unexpected: no reservation: " + id);
    }

    @Test
    void units_changed_by_hand_are_found() {
        sale("404");
        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.hincrBy(RedisKeys.stock("404"), "available", 1);
        }
        assertFinds(
                "404",
                "lostReservations",
                0,
                "Q1 product 404, shard 0: available 4 + live orders 0 is not allocated 3");
    }

    @Test
    void ledger_changed_by_hand_is_found() {
        sale("405");
        stock.sql().update("UPDATE shard_ledger SET sold = 1 WHERE product_id = 405 AND shard = 0");
        assertFinds("405", "oversold", 0, "A3 product 405, shard 0: sold 1, live orders 0");
    }

    @Test
    void two_live_orders_of_a_user_are_found_even_without_the_unique_key() {
        Buyers buyers = sale("406");
        stock.sql().execute("ALTER TABLE orders DROP INDEX one_live_order");
        try {
            buyers.buy(0, "alice", 1);
            buyers.buy(1, "alice", 1);
            assertFinds(
                    "406",
                    "duplicateBuyers",
                    1,
                    "A4 product 406: 1 users with more than one order or reservation: alice");
        } finally {
            stock.sql().update("DELETE FROM orders WHERE product_id = 406");
            stock.sql()
                    .execute("ALTER TABLE orders ADD UNIQUE KEY one_live_order "
                            + "(product_id, live_user)");
        }
    }

    @Test
    void closed_order_whose_unit_is_not_back_is_pending() {
        Buyers buyers = sale("407");
        String id = buyers.buy(0, "alice", 1);
        buyers.cancel(id, 0, 1);
        Answer answer = stock.audit("407");
        assertThat(answer.body().get("balanced")).isEqualTo(false);
        assertThat(((Map<?, ?>) answer.body().get("pending")).get("returns")).isEqualTo(1);
    }

    @Test
    void rejected_order_of_a_lost_reservation_owes_no_return() {
        sale("414").lose(0, "alice");

        assertThat(pending("414").get("returns")).isEqualTo(0);
        assertThat(stock.audit("414").body().get("balanced")).isEqualTo(true);
    }

    @Test
    void store_that_cannot_be_read_is_named_and_nothing_is_guessed() {
        sale("408");
        stock.shards.get(2).kill();
        try {
            Answer answer = stock.audit("408");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("message")).isEqualTo("shard 2 is away; call again");
        } finally {
            stock.shards.get(2).start();
        }
        assertThat(stock.audit("408").status()).isEqualTo(200);
    }

    @Test
    void product_without_a_sale_and_no_product_at_all_are_refused() {
        assertThat(stock.audit("499").text("code")).isEqualTo("NO_SUCH_SALE");
        assertThat(stock.audit("0").text("code")).isEqualTo("BAD_REQUEST");
        assertThat(stock.audit("x").status()).isEqualTo(400);
    }

    @Test
    void without_a_product_the_books_of_all_are_told_in_order() {
        sale("49");
        sale("4090");
        Answer answer = stock.get("/admin/audit");
        List<String> productIds = ((List<?>) answer.body().get("products"))
                .stream()
                        .map(product -> (String) ((Map<?, ?>) product).get("productId"))
                        .toList();
        assertThat(productIds).containsSubsequence("49", "4090").doesNotHaveDuplicates();
    }

    private void signalBroker(String signal) throws Exception {
        String pid = Long.toString(stock.broker.pid());
        assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
    }

    /** Within the 10 s that a request may take; the books themselves need no broker. */
    private void assertUnknown(String productId) {
        assertThat(stock.audit(productId).body().get("balanced")).isEqualTo(true);
        Map<?, ?> pending = pending(productId);
        assertThat(pending.containsKey("reservationMessages")).isTrue();
        assertThat(pending.get("reservationMessages")).isNull();
        assertThat(pending.containsKey("returnMessages")).isTrue();
        assertThat(pending.get("returnMessages")).isNull();
        assertThat(pending.get("outboxEntries")).isEqualTo(0);
    }

    private Map<?, ?> pending(String productId) {
        return (Map<?, ?>) stock.audit(productId).body().get("pending");
    }

    /** As order-service acknowledges them; the offsets follow within 5 s. */
    private void consumeReservations(int count) {
        AtomicInteger handled = new AtomicInteger();
        MessageConsumer consumer = stock.bean(Messaging.class)
                .consumer(
                        Reservation.GROUP,
                        Reservation.TOPIC,
                        Reservation.class,
                        new MessageHandler<Reservation>() {
                            @Override
                            public void handle(List<Reservation> messages) {
                                handled.addAndGet(messages.size());
                            }

                            @Override
                            public void park(
                                    String topic, String messageId, String body, String reason) {
                                throw new AssertionError(body);
                            }
                        },
                        1);
        consumer.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> handled.get() == count);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> pending("410").get("reservationMessages").equals(0));
        consumer.stop();
    }

    private Buyers sale(String productId) {
        Answer answer =
                stock.create("{'productId':'" + productId + "','stock':9,'perUserLimit':2}");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(stock.audit(productId).body().get("balanced")).isEqualTo(true);
        return new Buyers(stock, productId);
    }

    private void assertFinds(String productId, String count, int value, String difference) {
        Answer answer = stock.audit(productId);
        assertThat(answer.body().get("balanced")).isEqualTo(false);
        Map<?, ?> product = (Map<?, ?>) ((List<?>) answer.body().get("products")).get(0);
        assertThat(product.get(count)).isEqualTo(value);
        assertThat((List<?>) product.get("differences"))
                .anySatisfy(found -> assertThat(found).isEqualTo(difference));
    }
}
