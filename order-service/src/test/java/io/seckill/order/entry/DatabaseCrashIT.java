package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class DatabaseCrashIT extends RealService {

    private static final int MESSAGES = 240;

    @Autowired
    MessageSender sender;

    @Test
    void killed_database_pauses_consumption_and_every_reservation_ends_once() {
        String product = sale(MESSAGES, MESSAGES);
        List<Reservation> all = reservations(product, MESSAGES, 1);
        setLimit("80");
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

    private void send(List<Reservation> batch) {
        assertThat(sender.send(
                        Reservation.TOPIC,
                        batch.stream()
                                .map(r -> new MessageSender.Outgoing(
                                        r.reservationId(), Json.write(r)))
                                .toList()))
                .isTrue();
    }
}
