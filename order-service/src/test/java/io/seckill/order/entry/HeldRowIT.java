package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A ledger row that somebody holds while reservations keep coming in, as in a sale. */
@LongRun
class HeldRowIT {

    private static final int MANY = 100_000;
    private static final int QUEUES = 4;

    /** Each is a delivery of its own, as in a sale that trickles. */
    @Test
    void many_small_deliveries_of_a_held_row_keep_no_other_order_waiting() throws Exception {
        Map<String, String> limits = Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");
        try (AroundTheService around = new AroundTheService(MANY, limits);
                ServiceProcess service = around.startService()) {
            around.addShard(1, MANY);
            around.transaction.executeWithoutResult(status -> {
                around.holdShard(0);
                List<Reservation> all = AroundTheService.reservationsOfBothShards(200);
                for (Reservation one : all) {
                    around.send(List.of(one));
                    sleep(20);
                }
                await().atMost(Duration.ofSeconds(20)).until(() -> around.orders() == 100);
            });
            await().atMost(Duration.ofSeconds(60)).until(() -> around.orders() == 200);
            assertThat(around.count("orders WHERE status = 'UNPAID'")).isEqualTo(200);
            assertThat(service.health()).isEqualTo(200);
        }
    }

    /** What is settled behind a message that waits for its row does not wait any more. */
    @Test
    void orders_of_a_held_row_are_not_rejected_for_a_backlog_that_is_none() throws Exception {
        Map<String, String> limits = Map.of(
                Limits.ORDER_RATE_PER_SECOND, "200", Limits.ORDER_BACKLOG_MAX_AGE_MS, "5000");
        try (AroundTheService around = new AroundTheService(MANY, limits);
                ServiceProcess service = around.startService()) {
            around.addShard(1, MANY);
            List<Long> waits = new ArrayList<>();
            int[] sent = {0};
            around.transaction.executeWithoutResult(status -> {
                around.holdShard(0);
                for (int queue = 0; queue < QUEUES; queue++) {
                    around.send(of(0, sent, 5));
                }
                sleep(5_000); // it has waited for the row in vain and knows that it is held
                for (int quarter = 0; quarter < 4 * 15; quarter++) {
                    around.send(of(1, sent, 40));
                    sleep(250);
                    waits.add(around.estimatedWaitMs());
                }
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> around.count("orders WHERE shard = 1") == sent[0] - 20);
            });
            await().atMost(Duration.ofSeconds(60)).until(() -> around.orders() == sent[0]);
            assertThat(around.count("orders WHERE status = 'REJECTED'")).isZero();
            assertThat(waits).allMatch(ms -> ms < 5_000);
            assertThat(service.health()).isEqualTo(200);
        }
    }

    private static List<Reservation> of(int shard, int[] sent, int count) {
        List<Reservation> some = IntStream.rangeClosed(sent[0] + 1, sent[0] + count)
                .mapToObj(n -> AroundTheService.reservation(n, shard))
                .toList();
        sent[0] += count;
        return some;
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
