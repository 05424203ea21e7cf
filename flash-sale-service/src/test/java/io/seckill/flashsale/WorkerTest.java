package io.seckill.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {

    private final AtomicInteger turns = new AtomicInteger();
    private Worker worker;

    @AfterEach
    void stop() {
        worker.stop();
    }

    @Test
    void failing_turn_is_tried_again_and_breaks_nothing() {
        start(() -> {
            if (turns.incrementAndGet() < 3) {
                throw new IllegalStateException("away");
            }
        });
        await().until(() -> turns.get() > 5);
        assertThat(worker.isBroken()).isFalse();
    }

    @Test
    void dead_thread_is_broken() {
        start(() -> {
            turns.incrementAndGet();
            throw new DeathOfTheTest();
        });
        await().until(() -> worker.isBroken());
        assertThat(turns).hasValue(1);
    }

    @Test
    void stopped_worker_turns_no_more_and_is_not_broken() {
        start(turns::incrementAndGet);
        await().until(() -> turns.get() > 0);
        worker.stop();
        int before = turns.get();
        assertThat(worker.isRunning()).isFalse();
        assertThat(worker.isBroken()).isFalse();
        await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        assertThat(turns).hasValue(before);
    }

    private void start(Runnable turn) {
        worker = new Worker("test", turn, 1);
        worker.start();
    }

    /** Stands for an OutOfMemoryError. */
    private static final class DeathOfTheTest extends Error {}
}
