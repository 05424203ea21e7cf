package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.Backlog;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;

class DatabaseCrashIT extends RealService {

    private static final int MESSAGES = 240;

    private static final Duration OUTAGE =
            Duration.ofSeconds(Integer.getInteger("seckill.outage.s", 20));

    /** After that a reservation is old; late it is only if it would wait as long again. */
    private static final Duration OLD = Duration.ofSeconds(5);

    @Autowired
    MessageSender sender;

    @Autowired
    Backlog backlog;

    @Test
    void killed_database_pauses_consumption_and_every_reservation_ends_once() {
        String product = sale(MESSAGES, MESSAGES);
        List<Reservation> all = reservations(product, MESSAGES, 1);
        setLimit("30");
        for (int from = 0; from < MESSAGES; from += 60) {
            send(all.subList(from, from + 60));
        }
        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "UNPAID") > 20);

        Metrics before = metrics();
        DATABASE.kill();
        Answer away = Answer.to("GET", port, "/seckill/orders", "alice");
        assertThat(away.status()).isEqualTo(503);
        assertThat(away.body()).containsEntry("code", "BUSY");
        assertThat(Answer.to("GET", port, "/actuator/health", "").status()).isEqualTo(503);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics().sum("seckill_deferred_total"))
                        .as("deliveries that met the dead database: killed in the middle")
                        .isGreaterThan(before.sum("seckill_deferred_total")));
        DATABASE.start();

        send(all.subList(0, 60));
        setLimit("500");
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> count(product, "UNPAID") == MESSAGES);
        assertThat(sold(product)).isEqualTo(MESSAGES);
        assertBooksBalance(product);
        await().atMost(Duration.ofSeconds(45))
                .until(() -> all.stream()
                        .noneMatch(reservation ->
                                EVENTS.of(reservation.reservationId()).isEmpty()));
        assertThat(Answer.to("GET", port, "/actuator/health", "").status()).isEqualTo(200);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics().objections()).isEmpty());
    }

    @AfterEach
    void forgetWhatIsOld() {
        try (Jedis redis = REDIS.connect()) {
            redis.hdel(RedisKeys.LIMITS, Limits.ORDER_BACKLOG_MAX_AGE_MS);
        }
    }

    /**
     * With -Dseckill.outage.s=360 longer than any step that a client or this service gives up
     * after. All that it left behind is old, and is written within a second.
     */
    @Test
    void long_outage_sends_nothing_back_to_the_broker_and_ends_with_the_database() {
        assertThat(OUTAGE).isGreaterThan(OLD);
        callOld(OLD);
        setLimit("500");
        String product = sale(2 * MESSAGES);
        List<Reservation> all = reservations(product, 2 * MESSAGES, 0);
        long sentBack = sentBack();
        send(all.subList(0, 60));
        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "UNPAID") == 60);
        DATABASE.kill();
        try {
            for (int from = 60; from < all.size(); from += 60) {
                send(all.subList(from, from + 60));
            }
            await().during(OUTAGE)
                    .atMost(OUTAGE.plusSeconds(30))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> sentBack() == sentBack);
        } finally {
            DATABASE.start();
        }
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> count(product, "UNPAID") + count(product, "REJECTED") == all.size()
                        && backlog.of(Reservation.TOPIC, Reservation.GROUP)
                                .equals(OptionalLong.of(0)));
        assertThat(count(product, "REJECTED")).isZero();
        assertThat(sentBack()).isEqualTo(sentBack);
        assertBooksBalance(product);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics().objections()).isEmpty());
    }

    /** In force at the service's next look, half a second later. */
    private static void callOld(Duration age) {
        try (Jedis redis = REDIS.connect()) {
            redis.hset(
                    RedisKeys.LIMITS,
                    Limits.ORDER_BACKLOG_MAX_AGE_MS,
                    Long.toString(age.toMillis()));
        }
    }

    /** Messages that a consumer of reservations ever gave back. */
    private long sentBack() {
        return backlog.of("%RETRY%" + Reservation.GROUP, "nobody").orElseThrow();
    }

    private void send(List<Reservation> batch) {
        assertThat(sender.send(
                        Reservation.TOPIC,
                        batch.stream()
                                .map(r -> new MessageSender.Outgoing(
                                        r.reservationId(), RelayKeys.body(r)))
                                .toList()))
                .isTrue();
    }
}
