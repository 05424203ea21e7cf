package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.seckill.testkit.KeyFile;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartIT {

    private static final String KEYS = KeyFile.of("k1 " + "s".repeat(32)).toString();

    @Test
    void service_starts_without_any_part_turns_green_with_its_database_and_stops_when_told()
            throws Exception {
        try (MariaDbProcess database = new MariaDbProcess()) {
            database.kill();
            Map<String, String> environment = Map.of(
                    "SECKILL_DB_USER",
                    "root",
                    "SECKILL_DB_URL",
                    database.url(),
                    "SECKILL_CONTROL_REDIS",
                    "redis://127.0.0.1:1",
                    "SECKILL_NAMESRV",
                    "127.0.0.1:1",
                    "SECKILL_PAYMENT_KEYS",
                    KEYS,
                    "SECKILL_RESERVATION_KEYS",
                    KEYS);
            try (ServiceProcess service = new ServiceProcess("order-service", environment)) {
                assertThat(service.health()).isEqualTo(503);
                Answer orders = Answer.to("GET", service.port(), "/seckill/orders", "alice");
                assertThat(orders.body()).containsEntry("code", "BUSY");

                database.start();
                await().atMost(Duration.ofSeconds(30)).until(() -> service.health() == 200);
                assertThat(Metrics.of("order", service.uri("/actuator/prometheus"))
                                .objections())
                        .isEmpty();

                assertThat(service.output())
                        .containsPattern("(WARN|ERROR) .*] o\\.a\\.r\\.c")
                        .doesNotContain("SLF4J");

                ProcessHandle process = ProcessHandle.of(service.pid()).orElseThrow();
                process.destroy();
                process.onExit().get(20, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SECKILL_PAYMENT_KEYS,     /nowhere/payment-keys,     seckill.payment-keys",
        "SECKILL_RESERVATION_KEYS, /nowhere/reservation-keys, seckill.reservation-keys",
        "SECKILL_PAYMENT_GATEWAY,  simulate,                  seckill.payment-gateway 'simulate'",
        "SECKILL_PAYMENT_GATEWAY,  '',                        seckill.payment-gateway ''",
        "SECKILL_CRASH_AT,         landing.nowhere,           seckill.crash-at",
    })
    void bad_configuration_stops_the_start_and_names_the_key(
            String variable, String value, String named) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "SECKILL_PAYMENT_KEYS", KEYS,
                "SECKILL_RESERVATION_KEYS", KEYS));
        environment.put(variable, value);
        assertThatIllegalStateException()
                .isThrownBy(() -> new ServiceProcess("order-service", environment))
                .withMessageContaining(named);
    }
}
