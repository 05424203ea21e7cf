package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class LoopTest {

    private final AtomicInteger rounds = new AtomicInteger();
    private Loop loop;

    @AfterEach
    void stop() {
        loop.stop();
        assertThat(loop.isRunning()).isFalse();
    }

    @Test
    void work_that_has_more_runs_again_at_once_and_then_rests() {
        start(60_000, () -> rounds.incrementAndGet() < 100);

        awaitRounds(100);
        assertThat(loop.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void nudge_wakes_a_resting_loop() {
        start(60_000, () -> rounds.incrementAndGet() < 1);
        awaitRounds(1);

        loop.nudge();

        awaitRounds(2);
    }

    @Test
    void idle_loop_runs_after_its_pause() {
        start(20, () -> rounds.incrementAndGet() < 1);

        await().atMost(Duration.ofSeconds(5)).until(() -> rounds.get() > 3);
    }

    @Test
    void failing_work_is_tried_again_with_a_pause_that_nudges_do_not_shorten() {
        List<Long> startedMs = new CopyOnWriteArrayList<>();
        start(100, () -> {
            startedMs.add(System.nanoTime() / 1_000_000);
            if (rounds.incrementAndGet() <= 2) {
                throw new IllegalStateException("away");
            }
            return false;
        });

        await().atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(2)).until(() -> {
            loop.nudge();
            return rounds.get() > 2 && Boolean.FALSE.equals(detail("failing"));
        });
        assertThat(startedMs.get(1) - startedMs.get(0)).isGreaterThanOrEqualTo(99);
        assertThat(startedMs.get(2) - startedMs.get(1)).isGreaterThanOrEqualTo(199);
        assertThat(loop.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void loop_that_died_turns_health_red() {
        start(20, () -> {
            throw new AssertionError("not an exception");
        });

        await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(5))
                .until(() -> loop.health().getStatus() == Status.DOWN);
    }

    private Object detail(String name) {
        return loop.health().getDetails().get(name);
    }

    private void start(long idleMs, BooleanSupplier work) {
        loop = new Loop("test-loop", idleMs, work);
        loop.start();
    }

    private void awaitRounds(int wanted) {
        await().atMost(Duration.ofSeconds(5)).until(() -> rounds.get() == wanted);
    }
}
