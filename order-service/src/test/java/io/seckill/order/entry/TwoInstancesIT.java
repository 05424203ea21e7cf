package io.seckill.order.entry;

import static io.seckill.order.entry.AroundTheService.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two processes of the service on one database, of which one is killed and one is stopped. */
class TwoInstancesIT {

    private static final int STEP = 2_000; // reservations
    private static final Duration LONGER_THAN_A_SPAN = Duration.ofSeconds(13);
    private static final Duration LONG = Duration.ofSeconds(90);

    private int sent;

    @Test
    void killed_and_stopped_instances_share_no_worker_and_make_no_number_twice() throws Exception {
        Map<String, String> limits = Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");
        try (AroundTheService around = new AroundTheService(1_000_000, limits)) {
            try (ServiceProcess killed = around.startService();
                    ServiceProcess stopped = around.startService()) {
                awaitBothMakeNumbers(around);
                String owners = owners(around);

                signal("-STOP", stopped.pid());
                Thread.sleep(LONGER_THAN_A_SPAN.toMillis());
                killed.kill();
                killed.start();
                send(around);
                await().atMost(LONG).until(() -> !owners(around).equals(owners));
                signal("-CONT", stopped.pid());

                awaitBothMakeNumbers(around);
                await().atMost(LONG).until(() -> around.orders() == sent);
                assertThat(killed.output() + stopped.output()).doesNotContain("is taken");
            }
            assertThat(around.count("parked_message")).isZero();
            assertThat(around.sql.queryForObject("SELECT sold FROM shard_ledger", Integer.class))
                    .isEqualTo(sent);
        }
    }

    /** Sends until the numbers of one step are of two workers. */
    private void awaitBothMakeNumbers(AroundTheService around) {
        await().atMost(LONG).until(() -> {
            String last = around.sql.queryForObject(
                    "SELECT COALESCE(MAX(LEFT(order_sn, 13)), '0') FROM orders", String.class);
            send(around);
            await().atMost(LONG).until(() -> around.orders() == sent);
            Set<String> workers = new TreeSet<>(around.sql.queryForList(
                    "SELECT DISTINCT SUBSTR(order_sn, 14, 2) FROM orders"
                            + " WHERE LEFT(order_sn, 13) > ?",
                    String.class,
                    last));
            return workers.size() == 2;
        });
    }

    private void send(AroundTheService around) {
        around.send(IntStream.rangeClosed(sent + 1, sent + STEP)
                .mapToObj(AroundTheService::reservation)
                .toList());
        sent += STEP;
    }

    /** By worker. */
    private static String owners(AroundTheService around) {
        return around.sql
                .queryForList(
                        "SELECT CONCAT(worker, '=', owner) FROM order_worker ORDER BY worker",
                        String.class)
                .toString();
    }
}
