package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.Backlog;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class DatabaseCrashIT extends RealService {

    private static final int MESSAGES = 240;

    private static final Duration OUTAGE =
            Duration.ofSeconds(Integer.getInteger("seckill.outage.s", 20));

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

    /**
     * With -Dseckill.outage.s=360 longer than any step that a client or this service gives up
     * after.
     */
    @Test
    void long_outage_sends_nothing_back_to_the_broker_and_ends_with_the_database() {
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
                .until(() -> count(product, "UNPAID") == all.size()
                        && backlog.of(Reservation.TOPIC, Reservation.GROUP)
                                .equals(OptionalLong.of(0)));
        assertThat(sentBack()).isEqualTo(sentBack);
        assertBooksBalance(product);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics().objections()).isEmpty());
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
