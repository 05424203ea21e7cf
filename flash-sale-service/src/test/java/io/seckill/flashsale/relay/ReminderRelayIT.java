package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageConsumer;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.flashsale.HeardReservations;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.MarkFinder.Mark;
import io.seckill.flashsale.query.ResultStore;
import io.seckill.quantity.Reserve;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;

class ReminderRelayIT extends Hop {

    /** Ids begin with the time: this one was made in 1970. */
    private static final String OLD = "0".repeat(30);

    private static final Map<String, Object> PENDING = Map.of("status", "PENDING");

    @Autowired
    private ResultStore results;

    @Autowired
    private ReminderRelay reminders;

    private final HeardReservations heard = new HeardReservations(product);
    private MessageConsumer consumer;

    @BeforeEach
    void listen() {
        sell(1, 1, 1);
        consumer = messaging.consumer(
                "reminders-" + product, Reservation.TOPIC, Reservation.class, heard, 1);
        consumer.start();
    }

    @AfterEach
    void stopListening() {
        consumer.stop();
    }

    @Test
    void lost_result_makes_the_reservation_sent_again_once_and_its_event_is_told() {
        String id = taken("alice", OLD + "01");
        awaitHeard(1);
        results.store(List.of(ordered(id, "alice")));
        assertThat(result("alice").text("status")).isEqualTo("ORDERED");
        onControl(jedis -> jedis.del(RedisKeys.result(product, "alice")));

        await().until(() -> PENDING.equals(result("alice").body())); // what was told is remembered
        for (int i = 0; i < 20; i++) {
            assertThat(result("alice").body()).isEqualTo(PENDING);
        }
        awaitHeard(2);
        results.store(List.of(ordered(id, "alice")));
        assertThat(result("alice").text("status")).isEqualTo("ORDERED");
        assertNoMore(2);
        assertThat(heard.all().get(1)).isEqualTo(heard.all().get(0));
        assertThat(heard.all().get(1))
                .isEqualTo(SIGNER.sign(new Reservation(
                        id,
                        product,
                        "alice",
                        1,
                        1,
                        1,
                        1,
                        books(shards.get(1)).reservations().get(id).reservedAtMs())));
    }

    @Test
    void reservation_is_sent_again_with_the_epoch_and_seq_it_was_made_with() {
        try (Jedis shard = SHARDS.get(1).connect()) {
            shard.hset(RedisKeys.stock(product), Map.of("epoch", "3", "seq", "41"));
        }
        String id = taken("alice", OLD + "04");
        awaitHeard(1);
        assertThat(result("alice").body()).isEqualTo(PENDING);
        awaitHeard(2);
        assertThat(heard.all()).allSatisfy(reservation -> {
            assertThat(reservation.reservationId()).isEqualTo(id);
            assertThat(reservation.epoch()).isEqualTo(3);
            assertThat(reservation.seq()).isEqualTo(42);
        });
    }

    @Test
    void reservation_of_a_moment_ago_is_not_sent_again() {
        deduct("alice");
        awaitHeard(1);
        assertThat(result("alice").body()).isEqualTo(PENDING);
        assertNoMore(1);
    }

    @Test
    void reservation_given_back_meanwhile_is_not_sent_again() {
        String id = taken("alice", OLD + "02");
        awaitHeard(1);
        surely(() -> shards.get(1)
                .giveBack(new StockReturn(id, product, "alice", 1, 1, 1, Action.RETURN, "TEST")));
        String live = taken("bob", OLD + "03");
        awaitHeard(2);
        reminders.ask(product, new Mark(shards.get(1), id));
        reminders.ask(product, new Mark(shards.get(1), live));
        await().atMost(Duration.ofSeconds(45)).until(() -> timesHeard(live) == 2);
        assertThat(timesHeard(id)).as("it was asked for before the live one").isEqualTo(1);
    }

    private String taken(String user, String id) {
        Reserve wish = new Reserve(id, product, user, 1, true, Long.MAX_VALUE / 2);
        surely(() -> shards.get(1).reserve(wish));
        return id;
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 2, null);
    }

    private void awaitHeard(int count) {
        await().atMost(Duration.ofSeconds(45)).until(() -> heard.all().size() >= count);
    }

    private long timesHeard(String id) {
        return heard.ids().stream().filter(id::equals).count();
    }

    private void assertNoMore(int count) {
        await().during(Duration.ofSeconds(3))
                .atMost(Duration.ofSeconds(5))
                .until(() -> heard.all().size() == count);
    }
}
