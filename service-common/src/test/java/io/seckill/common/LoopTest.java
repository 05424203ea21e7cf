package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class LoopTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(5);

    private final AtomicInteger rounds = new AtomicInteger();
    private Loop loop;

    @AfterEach
    void stop() {
        long startedNs = System.nanoTime();
        loop.stop();
        assertThat(loop.isRunning()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - startedNs)).isLessThan(LONG.dividedBy(10));
    }

    @Test
    void step_that_has_more_runs_again_at_once_and_then_rests() {
        start(new Loop("test-loop", LONG, () -> rounds.incrementAndGet() < 100));

        await().until(() -> rounds.get() == 100);
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void nudge_wakes_a_resting_loop() {
        start(Loop.every("test-loop", LONG, rounds::incrementAndGet));
        await().until(() -> rounds.get() == 1);

        loop.nudge();

        await().until(() -> rounds.get() == 2);
    }

    @Test
    void nudges_during_a_round_make_one_more_round() {
        start(Loop.every("test-loop", LONG, () -> {
            if (rounds.incrementAndGet() == 1) {
                loop.nudge();
                loop.nudge();
            }
        }));

        await().until(() -> rounds.get() == 2);
        assertStays(2);
    }

    @Test
    void loop_that_gathers_rests_longer_where_a_round_takes_long() {
        Duration round = Duration.ofMillis(9);
        List<Long> startedNs = new CopyOnWriteArrayList<>();
        start(Loop.gathering("test-loop", LONG, Duration.ofMillis(1), () -> {
            startedNs.add(System.nanoTime());
            LockSupport.parkNanos(round.toNanos());
            return false;
        }));
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            loop.nudge();
            return startedNs.size() == 4;
        });

        for (int i = 1; i < startedNs.size(); i++) {
            assertThat(startedNs.get(i) - startedNs.get(i - 1))
                    .isBetween(
                            round.multipliedBy(9).toNanos(),
                            round.multipliedBy(30).toNanos());
        }
    }

    @Test
    void loop_that_gathers_runs_at_once_for_the_first_nudge_and_once_for_those_after_it() {
        Duration apart = Duration.ofMillis(300);
        List<Long> startedNs = new CopyOnWriteArrayList<>();
        start(Loop.gathering("test-loop", LONG, apart, () -> {
            startedNs.add(System.nanoTime());
            return false;
        }));
        await().until(() -> startedNs.size() == 1);
        LockSupport.parkNanos(apart.toNanos());

        long nudgedNs = System.nanoTime();
        loop.nudge();
        await().pollInterval(Duration.ofMillis(2)).until(() -> startedNs.size() == 2);
        for (int i = 0; i < 10; i++) {
            loop.nudge();
            LockSupport.parkNanos(1_000_000);
        }
        await().until(() -> startedNs.size() == 3);

        assertThat(startedNs.get(1) - nudgedNs).isLessThan(apart.toNanos());
        assertThat(startedNs.get(2) - startedNs.get(1)).isGreaterThanOrEqualTo(apart.toNanos());
        await().during(apart.multipliedBy(2)).until(() -> startedNs.size() == 3);
    }

    @Test
    void idle_loop_runs_after_its_pause() {
        start(Loop.every("test-loop", SHORT, rounds::incrementAndGet));

        await().until(() -> rounds.get() > 3);
    }

    @Test
    void failing_step_is_tried_again_with_a_pause_that_nudges_do_not_shorten() {
        List<Long> startedMs = new CopyOnWriteArrayList<>();
        start(Loop.every("test-loop", LONG, () -> {
            startedMs.add(System.nanoTime() / 1_000_000);
            failUntil(3);
        }));

        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            loop.nudge();
            return rounds.get() >= 3 && Boolean.FALSE.equals(detail());
        });
        assertThat(startedMs.get(1) - startedMs.get(0)).isGreaterThanOrEqualTo(99);
        assertThat(startedMs.get(2) - startedMs.get(1)).isGreaterThanOrEqualTo(199);
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void prompt_loop_that_fails_for_long_pauses_no_longer_than_ever() {
        start(Loop.prompt("test-loop", Duration.ofMillis(120), () -> {
            rounds.incrementAndGet();
            throw new IllegalStateException("planted");
        }));

        await().atMost(Duration.ofSeconds(5)).until(() -> rounds.get() >= 10); // else 11 s
    }

    @Test
    void failure_and_recovery_are_logged_once_and_health_stays_green(CapturedOutput log) {
        start(Loop.every("test-loop", SHORT, () -> failUntil(4)));

        await().until(() -> rounds.get() == 3);
        assertThat(detail()).isEqualTo(true);
        assertThat(status()).isEqualTo(Status.UP);
        await().until(() -> rounds.get() > 5);

        assertThat(log.getOut())
                .containsOnlyOnce("test-loop fails")
                .contains("a shard is away")
                .containsOnlyOnce("test-loop works again");
    }

    @Test
    void error_that_ends_the_thread_turns_health_red_and_is_logged(CapturedOutput log) {
        start(Loop.every("test-loop", SHORT, () -> {
            rounds.incrementAndGet();
            throw new AssertionError("planted");
        }));

        await().until(() -> status().equals(Status.DOWN));
        assertThat(rounds).hasValue(1);
        assertThat(log.getOut()).containsOnlyOnce("test-loop is dead; restart the service");
    }

    @Test
    void interrupted_thread_turns_health_red() {
        start(Loop.every("test-loop", LONG, () -> Thread.currentThread().interrupt()));

        await().until(() -> status().equals(Status.DOWN));
    }

    @Test
    void hanging_step_turns_health_red_until_it_goes_on() {
        CountDownLatch gate = new CountDownLatch(1);
        start(new Loop("test-loop", SHORT, Duration.ofMillis(200), Duration.ZERO, waiting(gate)));

        assertThat(status()).isEqualTo(Status.UP);
        await().until(() -> status().equals(Status.DOWN));
        gate.countDown();
        await().until(() -> status().equals(Status.UP));
    }

    @Test
    void rest_longer_than_the_patience_is_no_hang() {
        start(new Loop(
                "test-loop", LONG, SHORT, Duration.ZERO, () -> rounds.incrementAndGet() < 1));
        await().until(() -> rounds.get() == 1);

        await().pollDelay(Duration.ofMillis(50)).until(() -> status().equals(Status.UP));
    }

    @Test
    void stopped_loop_does_no_more_rounds_and_is_not_broken() {
        start(Loop.every("test-loop", SHORT, rounds::incrementAndGet));
        await().until(() -> rounds.get() > 0);

        loop.stop();

        assertStays(rounds.get());
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void step_may_make_its_round_the_last_and_the_loop_may_start_again() {
        start(Loop.every("test-loop", SHORT, () -> {
            rounds.incrementAndGet();
            loop.finish();
        }));

        await().until(() -> rounds.get() == 1);
        assertStays(1);
        assertThat(status()).isEqualTo(Status.UP);

        loop.start();
        await().until(() -> rounds.get() == 2);
    }

    private void failUntil(int round) {
        if (rounds.incrementAndGet() < round) {
            throw new IllegalStateException("a shard is away");
        }
    }

    private static BooleanSupplier waiting(CountDownLatch gate) {
        return () -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        };
    }

    private void assertStays(int expected) {
        await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        assertThat(rounds).hasValue(expected);
    }

    private Status status() {
        return loop.health().getStatus();
    }

    private Object detail() {
        return loop.health().getDetails().get("failing");
    }

    private void start(Loop made) {
        loop = made;
        loop.start();
    }
}
