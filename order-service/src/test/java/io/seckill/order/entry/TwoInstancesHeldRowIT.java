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
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Two processes of the service, of which one has messages of a ledger row that somebody holds: what
 * it settles behind them the broker counts as if it waited.
 */
@LongRun
class TwoInstancesHeldRowIT {

    private static final int QUEUES = 4;
    private static final int ROUNDS = 100; // of which each takes a second or so
    private static final int SETTLED = 10_000; // half of them behind what is held
    private static final int MANY = 10_000;
    private static final int PER_SECOND = 500;
    private static final int AGE_MS = 5_000;
    private static final int IN_TIME = PER_SECOND * AGE_MS / 1_000;
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Map<String, String> NO_LIMITS = Map.of(
            Limits.ORDER_RATE_PER_SECOND, "1000000", Limits.ORDER_BACKLOG_MAX_AGE_MS, "86400000");

    private int sent;

    @Test
    void row_held_for_one_instance_makes_no_wait_for_the_other_and_both_still_fail_fast()
            throws Exception {
        try (AroundTheService around = new AroundTheService(1_000_000, NO_LIMITS)) {
            around.addShard(1, 1_000_000);
            try (ServiceProcess one = around.startService();
                    ServiceProcess two = around.startService()) {
                List<String> ownerOfQueue = awaitBothHaveQueues(around);
                List<Long> waits = new ArrayList<>();
                List<Reservation> held = new ArrayList<>();
                around.transaction.executeWithoutResult(status -> {
                    around.holdShard(0);
                    for (String owner : ownerOfQueue) {
                        Reservation next = next(owner.equals(ownerOfQueue.get(0)) ? 0 : 1);
                        held.addAll(next.shard() == 0 ? List.of(next) : List.of());
                        around.send(List.of(next));
                    }
                    around.send(some(SETTLED));
                    awaitEnded(around, held.size());
                    around.setLimits(Map.of(
                            Limits.ORDER_RATE_PER_SECOND, Integer.toString(PER_SECOND),
                            Limits.ORDER_BACKLOG_MAX_AGE_MS, Integer.toString(AGE_MS)));
                    sleep(1_500);
                    for (int look = 0; look < 30; look++) {
                        sleep(100);
                        waits.add(around.estimatedWaitMs());
                    }
                    around.send(some(MANY));
                    awaitEnded(around, held.size());
                });
                awaitEnded(around, 0);

                assertThat(waits).as("published while nothing waits").allMatch(ms -> ms < 500);
                assertThat(workers(around, "reason = 'BACKLOG'"))
                        .as("rejecting")
                        .hasSize(2);
                assertThat(around.count("orders WHERE reason = 'BACKLOG'"))
                        .isBetween(MANY / 5L, MANY - 2L * IN_TIME + IN_TIME / 2);
                assertThat(around.count("orders WHERE shard = 0 AND status = 'UNPAID'"))
                        .isEqualTo(held.size());
                assertThat(one.health() + two.health()).isEqualTo(400);
            }
        }
    }

    /**
     * Which instance, by its worker, has each queue, in the order in which this thread sends to
     * them.
     */
    private List<String> awaitBothHaveQueues(AroundTheService around) {
        List<String> owners = new ArrayList<>();
        for (int round = 0; round < ROUNDS && Set.copyOf(owners).size() < 2; round++) {
            owners.clear();
            for (int queue = 0; queue < QUEUES; queue++) {
                Reservation probe = next(1);
                around.send(List.of(probe));
                awaitEnded(around, 0);
                owners.addAll(workers(around, "reservation_id = '" + probe.reservationId() + "'"));
            }
        }
        assertThat(owners).hasSize(QUEUES);
        assertThat(Set.copyOf(owners)).hasSize(2);
        return owners;
    }

    private void awaitEnded(AroundTheService around, int heldUp) {
        await().atMost(LONG).until(() -> around.orders() == sent - heldUp);
    }

    private static List<String> workers(AroundTheService around, String which) {
        return around.sql.queryForList(
                "SELECT DISTINCT SUBSTR(order_sn, 14, 2) FROM orders WHERE " + which, String.class);
    }

    private List<Reservation> some(int count) {
        return IntStream.range(0, count).mapToObj(n -> next(1)).toList();
    }

    private Reservation next(int shard) {
        return AroundTheService.reservation(++sent, shard);
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
