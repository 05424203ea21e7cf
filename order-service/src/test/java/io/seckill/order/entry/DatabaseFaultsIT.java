package io.seckill.order.entry;

import static io.seckill.order.entry.AroundTheService.reservationsOfBothShards;
import static io.seckill.order.entry.AroundTheService.signal;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;

/** The service as a process, and a database that is slow to answer, or does not. */
@LongRun
class DatabaseFaultsIT {

    private static final int MESSAGES = 2_000;
    private static final int LOST = 3; // replies to COMMIT
    private static final int LARGE = 2_000; // bytes that write a batch
    private static final int RESTARTS = 4; // each instance killed once and stopped once
    private static final Duration HELD = Duration.ofSeconds(30);
    /** Beyond the service's own patience, so that it meets the pause as a failure. */
    private static final Duration PAUSED = socketTimeout().plusSeconds(4);

    private static final Duration QUIET = Duration.ofSeconds(60); // after the database is healed
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Map<String, String> LIMITS =
            Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");

    /** What was committed is found by its rows and told again; nothing of it is done twice. */
    @Test
    void order_whose_commit_nobody_heard_of_is_there_once() throws Exception {
        try (AroundTheService around = new AroundTheService(MESSAGES, LIMITS);
                LostCommits proxy = new LostCommits(around.database.url())) {
            proxy.open();
            try (ServiceProcess service = around.startService(proxy.url())) {
                for (int lost = 1; lost <= LOST; lost++) {
                    proxy.silenceNext(said -> said.length() > LARGE);
                    int from = MESSAGES / LOST * (lost - 1);
                    around.send(all().subList(from, from + MESSAGES / LOST));
                    int lostSoFar = lost;
                    int orders = from + MESSAGES / LOST;
                    await().atMost(LONG).until(() -> proxy.lost() == lostSoFar);
                    await().atMost(LONG).until(() -> around.orders() == orders);
                }
                assertEachOnce(around, MESSAGES / LOST * LOST);
                assertThat(service.health()).isEqualTo(200);
            }
        }
    }

    @Test
    void ledger_row_held_for_half_a_minute_keeps_its_own_orders_and_no_other() {
        try (AroundTheService around = new AroundTheService(MESSAGES, LIMITS);
                ServiceProcess service = around.startService()) {
            around.addShard(1, MESSAGES);
            around.transaction.executeWithoutResult(status -> {
                around.holdShard(0);
                around.send(reservationsOfBothShards(MESSAGES));
                await().atMost(HELD).until(() -> around.orders() == MESSAGES / 2);
                await().during(HELD)
                        .atMost(HELD.plusSeconds(9))
                        .pollInterval(Duration.ofSeconds(1))
                        .until(() -> around.count("orders WHERE shard = 0") == 0);
            });
            await().atMost(QUIET).until(() -> around.orders() == MESSAGES);
            assertEachOnce(around, MESSAGES);
            assertThat(service.health()).isEqualTo(200);
        }
    }

    @Test
    void database_that_is_paused_delays_orders_and_loses_none() throws Exception {
        try (AroundTheService around = new AroundTheService(MESSAGES, LIMITS);
                ServiceProcess service = around.startService()) {
            around.send(all().subList(0, MESSAGES / 2));
            await().atMost(LONG)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> around.orders() > 0);
            signal("-STOP", around.database.pid());
            around.send(all().subList(MESSAGES / 2, MESSAGES));
            Thread.sleep(PAUSED.toMillis());
            signal("-CONT", around.database.pid());
            assertThat(deferred(service)).as("given up during the pause").isPositive();
            await().atMost(QUIET).ignoreExceptions().until(() -> around.orders() == MESSAGES);
            assertEachOnce(around, MESSAGES);
            assertThat(service.health()).isEqualTo(200);
        }
    }

    /** Each message one to five times, in any order. */
    @Test
    void consumers_restarted_every_five_seconds_end_each_reservation_once() throws Exception {
        Random random = new Random(9);
        List<Reservation> sent = new ArrayList<>();
        for (Reservation one : all()) {
            sent.addAll(Collections.nCopies(1 + random.nextInt(5), one));
        }
        Collections.shuffle(sent, random);
        Map<String, String> slow = Map.of(
                Limits.ORDER_RATE_PER_SECOND, "10", Limits.ORDER_BACKLOG_MAX_AGE_MS, "86400000");
        try (AroundTheService around = new AroundTheService(MESSAGES, slow);
                ServiceProcess first = around.startService();
                ServiceProcess second = around.startService()) {
            around.send(sent);
            for (int restart = 1; restart <= RESTARTS; restart++) {
                Thread.sleep(5_000);
                ServiceProcess one = restart % 2 == 0 ? first : second;
                if (restart > 2) { // else killed at once
                    signal("-TERM", one.pid());
                    Thread.sleep(2_000);
                }
                one.kill();
                one.start();
            }
            assertThat(around.orders()).isBetween(1L, MESSAGES - 1L); // all were in the middle
            around.setLimits(LIMITS);
            await().atMost(LONG).until(() -> around.orders() == MESSAGES);
            assertEachOnce(around, MESSAGES);
        }
    }

    /** For how long the service waits for a silent database, as application.yml says it. */
    private static Duration socketTimeout() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ClassPathResource("application.yml"));
        return Duration.ofMillis(Long.parseLong(requireNonNull(yaml.getObject())
                .getProperty("spring.datasource.hikari.data-source-properties.socketTimeout")));
    }

    /** Reservations that failed and come again. */
    private static long deferred(ServiceProcess service) {
        return Metrics.of("order", service.uri("/actuator/prometheus"))
                .sum("seckill_deferred_total");
    }

    private static void assertEachOnce(AroundTheService around, int count) {
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> around.count("outbox") == 0);
        assertThat(around.count("orders WHERE status = 'UNPAID'")).isEqualTo(count);
        assertThat(around.orders()).isEqualTo(count);
        assertThat(around.sql.queryForObject("SELECT SUM(sold) FROM shard_ledger", Integer.class))
                .isEqualTo(count);
        assertThat(around.count("parked_message")).isZero();
    }

    private static List<Reservation> all() {
        return IntStream.rangeClosed(1, MESSAGES)
                .mapToObj(AroundTheService::reservation)
                .toList();
    }
}
