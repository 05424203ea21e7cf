package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StartIT {

    @Test
    void service_starts_without_any_part_turns_green_with_its_database_and_stops_when_told()
            throws Exception {
        try (MariaDbProcess database = new MariaDbProcess()) {
            database.kill();
            Map<String, String> environment = Map.of(
                    "SECKILL_DB_USER", "root",
                    "SECKILL_DB_URL", database.url(),
                    "SECKILL_CONTROL_REDIS", "redis://127.0.0.1:1",
                    "SECKILL_NAMESRV", "127.0.0.1:1");
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

    @Test
    void bad_configuration_stops_the_start_and_names_the_key() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> new ServiceProcess("order-service", Map.of("SECKILL_NODE", "100")))
                .withMessageContaining("seckill.node");
    }
}
