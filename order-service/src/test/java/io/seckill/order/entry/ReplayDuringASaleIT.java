package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The whole topic is delivered again to a service that was down, and new ones wait behind it. */
@LongRun
class ReplayDuringASaleIT {

    private static final int KNOWN = 8_000;
    private static final int FRESH = 256; // four sends, each to a queue of its own
    private static final int PER_SECOND = 1_000; // what is fresh would take a quarter of a second
    private static final int AGE_MS = 1_000; // less than a start takes
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void replay_of_what_is_known_is_no_backlog_and_rejects_nobody() {
        Map<String, String> limits = Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");
        try (AroundTheService around = new AroundTheService(KNOWN + FRESH, limits)) {
            around.send(reservations(1, KNOWN));
            try (ServiceProcess service = around.startService()) {
                await().atMost(SOON).until(() -> around.orders() == KNOWN);
                await().atMost(SOON).until(() -> around.done() >= KNOWN);
                assertThat(service.health()).isEqualTo(200);
            }
            await().atMost(SOON).until(() -> around.estimatedWaitMs() == -1); // nobody looks
            around.setLimits(Map.of(
                    Limits.ORDER_RATE_PER_SECOND, Integer.toString(PER_SECOND),
                    Limits.ORDER_BACKLOG_MAX_AGE_MS, Integer.toString(AGE_MS)));
            around.replayTheTopic();
            around.send(reservations(KNOWN + 1, FRESH));

            AtomicLong longestMs = new AtomicLong();
            try (ServiceProcess service = around.startService()) {
                await().atMost(SOON).pollInterval(Duration.ofMillis(20)).until(() -> {
                    longestMs.accumulateAndGet(around.estimatedWaitMs(), Math::max);
                    return around.orders() == KNOWN + FRESH
                            && AroundTheService.repeated(service) >= KNOWN;
                });
            }
            assertThat(longestMs).as("published for the edge").hasValueLessThan(AGE_MS);
            assertThat(around.count("orders WHERE reason = 'BACKLOG'")).isZero();
        }
    }

    private static List<Reservation> reservations(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(AroundTheService::reservation)
                .toList();
    }
}
