package io.seckill.order.entry;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.order.booking.Order;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Another group hears the topic from its beginning on, and has the service do all of it again. */
class WholeTopicReplayIT extends RealService {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Autowired
    MessageSender sender;

    @Autowired
    Messaging messaging;

    @Test
    void whole_topic_replayed_changes_nothing() {
        String product = sale(3, 5);
        Reservation paid = reservation(product, "alice", 0);
        Reservation closed = reservation(product, "bob", 0);
        Reservation open = reservation(product, "carol", 0);
        Reservation beyondTheLedger = reservation(product, "dave", 0);
        Reservation second = reservation(product, "alice", 1);
        List<Reservation> all = List.of(paid, closed, open, beyondTheLedger, second);
        all.forEach(this::land);
        Reservation forged = reservation(product, "eve", 0);
        send(forged, Json.write(forged));
        assertThat(count(product, "UNPAID")).isEqualTo(3);
        assertThat(count(product, "REJECTED")).isEqualTo(2);
        await().atMost(SOON).until(() -> parked(forged) == 1);
        assertThat(pay(paid).status()).isEqualTo(200);
        makeDue(order(closed));
        await().atMost(SOON).until(() -> count(product, "CANCELLED") == 1);
        assertBooksBalance(product);
        Set<String> before = books(product);

        replay(Stream.concat(all.stream(), Stream.of(forged))
                .map(Reservation::reservationId)
                .collect(toSet()));

        assertThat(books(product)).isEqualTo(before);
        assertThat(parked(forged)).isEqualTo(1);
        assertBooksBalance(product);
    }

    /** Until it was heard, what was in the topic before it, or in the same batches, as well. */
    private void replay(Set<String> ids) {
        Set<String> heard = ConcurrentHashMap.newKeySet();
        MessageConsumer again = messaging.consumer(
                "whole-topic-replay",
                Reservation.TOPIC,
                Reservation.class,
                new MessageHandler<>() {
                    @Override
                    public void check(Reservation message) {
                        heard.add(message.reservationId());
                        handler.check(message);
                    }

                    @Override
                    public void handle(List<Reservation> messages) {
                        handler.handle(messages);
                    }

                    @Override
                    public void park(String topic, String id, String body, String reason) {
                        handler.park(topic, id, body, reason);
                    }
                },
                2);
        again.start();
        try {
            await().atMost(SOON)
                    .until(() -> heard.containsAll(ids)
                            && messaging
                                            .backlog()
                                            .of(Reservation.TOPIC, "whole-topic-replay")
                                            .orElse(1)
                                    == 0);
        } finally {
            again.stop();
        }
    }

    /** Everything that is kept of the sale. */
    private Set<String> books(String product) {
        return Stream.of(
                        "SELECT * FROM orders WHERE product_id = ?",
                        "SELECT * FROM shard_ledger WHERE product_id = ?",
                        "SELECT payment.* FROM payment JOIN orders USING (order_sn)"
                                + " WHERE product_id = ?")
                .flatMap(query -> sql.queryForList(query, product).stream())
                .map(Object::toString)
                .collect(toSet());
    }

    private void land(Reservation one) {
        send(one, RelayKeys.body(one));
        List<String> id = List.of(one.reservationId());
        await().atMost(SOON).until(() -> !orders.ofReservations(id).isEmpty());
    }

    private Order order(Reservation one) {
        return orders.ofReservations(List.of(one.reservationId())).get(0);
    }

    private Answer pay(Reservation one) {
        String path = "/seckill/orders/" + order(one).orderSn() + "/pay";
        return Answer.to("POST", port, path, one.userId());
    }

    private long parked(Reservation one) {
        return sql.queryForObject(
                "SELECT COUNT(*) FROM parked_message WHERE body = ?", Long.class, Json.write(one));
    }

    private void send(Reservation one, String body) {
        assertThat(sender.send(Reservation.TOPIC, List.of(new Outgoing(one.reservationId(), body))))
                .isTrue();
    }
}
