package io.seckill.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.logging.org.slf4j.Logger;
import org.apache.rocketmq.logging.org.slf4j.LoggerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class ClientLogTest {

    private final AtomicLong nowNs = new AtomicLong();

    @Test
    void client_logs_into_the_log_of_the_service_and_misses_no_provider(CapturedOutput output) {
        Logger ofTheClient = LoggerFactory.getLogger("RocketmqRemoting");

        ofTheClient.warn("channel {} of {} is away", 7, "broker-a");

        assertThat(ofTheClient).isInstanceOf(ClientLogger.class);
        assertThat(output)
                .contains("WARN")
                .contains("RocketmqRemoting - channel 7 of broker-a is away")
                .doesNotContain("SLF4J");
    }

    @Test
    void level_is_warn_unless_configured_otherwise() {
        StandardEnvironment environment = new StandardEnvironment();
        new ClientLogLevel().postProcessEnvironment(environment, new SpringApplication());
        String key = "logging.level.org.apache.rocketmq";
        assertThat(environment.getProperty(key)).isEqualTo("warn");

        System.setProperty(key, "info");
        try {
            assertThat(environment.getProperty(key)).isEqualTo("info");
        } finally {
            System.clearProperty(key);
        }
    }

    @Test
    void failure_that_repeats_is_written_once_a_minute_without_its_stack(CapturedOutput output) {
        ClientLogger logger = new ClientLogger("Noisy", nowNs::get);

        for (int queue = 0; queue < 12; queue++) {
            logger.warn("pull of queue {} failed", queue, new IllegalStateException("away\nmore"));
        }
        logger.error("something else");
        nowNs.addAndGet(ClientLogger.AGAIN_NS);
        logger.warn("pull of queue {} failed", 99, new IllegalStateException("away"));

        assertThat(output.getOut().lines().filter(line -> line.contains("Noisy")))
                .extracting(line -> line.substring(line.indexOf("Noisy")))
                .containsExactly(
                        "Noisy - pull of queue 0 failed: java.lang.IllegalStateException: away",
                        "Noisy - something else",
                        "Noisy - pull of queue 99 failed: java.lang.IllegalStateException: away");
        assertThat(output).doesNotContain("\tat ");
    }

    @Test
    void texts_that_are_remembered_are_bounded(CapturedOutput output) {
        ClientLogger logger = new ClientLogger("Talker", nowNs::get);

        for (int i = 0; i <= ClientLogger.MAX_TEXTS; i++) {
            logger.warn("text " + i);
        }
        logger.warn("text 0");

        assertThat(output.getOut().lines().filter(line -> line.endsWith("- text 0")))
                .hasSize(2);
    }
}
