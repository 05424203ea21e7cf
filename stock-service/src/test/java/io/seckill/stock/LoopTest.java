package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class LoopTest {

    private static final Duration PERIOD = Duration.ofMillis(5);

    private final AtomicInteger turns = new AtomicInteger();
    private Loop loop;

    @AfterEach
    void stop() {
        loop.stop();
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void failing_step_is_repeated_and_health_stays_green() {
        start(() -> {
            turns.incrementAndGet();
            throw new IllegalStateException("a shard is away");
        });
        await().until(() -> turns.get() > 5);
        assertThat(loop.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void error_that_ends_the_loop_turns_health_red() {
        start(() -> {
            throw new AssertionError("planted");
        });
        await().until(() -> loop.health().getStatus().equals(Status.DOWN));
    }

    @Test
    void hanging_step_turns_health_red_until_it_goes_on() {
        CountDownLatch gate = new CountDownLatch(1);
        start(() -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().until(() -> loop.health().getStatus().equals(Status.DOWN));
        gate.countDown();
        await().until(() -> loop.health().getStatus().equals(Status.UP));
    }

    private void start(Runnable step) {
        loop = new Loop("test", PERIOD, Duration.ofMillis(500), step);
        loop.start();
    }
}
