package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.flashsale.Hop;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Paths are signed on threads of their own, for each waits for the control Redis. */
class PathThreadsIT extends Hop {

    @Autowired
    private ThreadPoolTaskExecutor signing;

    @Test
    void where_too_many_wait_for_a_path_the_next_is_told_busy_and_attempts_go_on() {
        sell(Map.of("path", "on"), 10, 10, 10);
        assertThat(path("early").status()).isEqualTo(200);
        CountDownLatch end = new CountDownLatch(1);
        try {
            fill(end);
            Answer refused = path("late");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text("code")).isEqualTo("BUSY");
            assertThat(deductOnce("alice", "1").text("code")).isEqualTo("ACCEPTED");
        } finally {
            end.countDown();
        }
        Awaitility.await().until(() -> path("again").status() == 200);
    }

    /** Until there is no room for one more. */
    private void fill(CountDownLatch end) {
        try {
            for (int i = 0; i < 10_000; i++) {
                signing.execute(() -> await(end));
            }
        } catch (TaskRejectedException e) {
            return;
        }
        throw new AssertionError("10,000 may wait");
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
