package io.seckill.order.entry;

import static io.seckill.order.entry.AroundTheService.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.message.Backlog;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.LongRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The control Redis is away, or does not answer, for as long as -Dseckill.outage.s says. */
@LongRun
class LimiterAwayIT extends RealService {

    private static final int OUTAGE_S = Integer.getInteger("seckill.outage.s", 8);
    private static final int PER_SECOND = 20;
    private static final int SENT_PER_SECOND = 10;
    private static final Duration SOON = Duration.ofSeconds(60);

    @Autowired
    MessageSender sender;

    @Autowired
    Backlog backlog;

    @Autowired
    MeterRegistry registry;

    @AfterEach
    void usualLimit() {
        setLimit("500");
    }

    @Test
    void orders_go_on_at_the_limit_while_the_limiter_is_killed() throws Exception {
        landWhileAway(REDIS::kill, REDIS::start);
    }

    @Test
    void orders_go_on_at_the_limit_while_the_limiter_does_not_answer() throws Exception {
        landWhileAway(() -> signal("-STOP", REDIS.pid()), () -> signal("-CONT", REDIS.pid()));
    }

    private void landWhileAway(Runnable leave, Runnable comeBack) throws Exception {
        setLimit(Integer.toString(PER_SECOND));
        String product = sale(OUTAGE_S * SENT_PER_SECOND);
        List<Reservation> all = reservations(product, OUTAGE_S * SENT_PER_SECOND, 0);
        send(all.subList(0, SENT_PER_SECOND)); // with it the limit is heard
        await().atMost(SOON).until(() -> count(product, "UNPAID") == SENT_PER_SECOND);
        long sentBack = sentBack();
        leave.run();
        try {
            for (int second = 1; second < OUTAGE_S; second++) {
                int from = second * SENT_PER_SECOND;
                send(all.subList(from, from + SENT_PER_SECOND));
                Thread.sleep(1_000);
            }
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> count(product, "UNPAID") == all.size());
            assertThat(saysAlone()).isTrue();
            assertThat(registry.get("seckill_control_redis_up").gauge().value()).isZero();
        } finally {
            comeBack.run();
        }
        await().atMost(SOON).until(() -> !saysAlone());
        assertThat(sentBack()).isEqualTo(sentBack);
        assertThat(sql.queryForList(
                        "SELECT COUNT(*) FROM orders WHERE product_id = ?"
                                + " GROUP BY created_at_ms DIV 1000",
                        Long.class,
                        product))
                .allMatch(orders -> orders <= PER_SECOND);
        assertBooksBalance(product);
    }

    /** Green all the time, for orders go on. */
    private boolean saysAlone() {
        Answer health = Answer.to("GET", port, "/actuator/health/orderRate", "");
        assertThat(health.status()).isEqualTo(200);
        return (boolean) ((Map<?, ?>) health.body().get("details")).get("alone");
    }

    /** Messages that a consumer of reservations ever gave back. */
    private long sentBack() {
        return backlog.of("%RETRY%" + Reservation.GROUP, "nobody").orElseThrow();
    }

    private void send(List<Reservation> batch) {
        assertThat(sender.send(
                        Reservation.TOPIC,
                        batch.stream()
                                .map(r -> new Outgoing(r.reservationId(), RelayKeys.body(r)))
                                .toList()))
                .isTrue();
    }
}
