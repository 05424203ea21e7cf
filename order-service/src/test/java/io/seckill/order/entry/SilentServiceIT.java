package io.seckill.order.entry;

import static io.seckill.order.entry.AroundTheService.reservationsOfBothShards;
import static io.seckill.order.entry.AroundTheService.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A service that is stopped, not killed: its connections live on and nobody speaks on them. */
class SilentServiceIT {

    private static final int MESSAGES = 8;

    /** Above the 15 s of idle_transaction_timeout. */
    private static final Duration BOUND = Duration.ofSeconds(25);

    @Test
    void service_stopped_in_a_transaction_holds_its_ledger_row_for_seconds_and_then_goes_on() {
        try (AroundTheService around =
                        new AroundTheService(9, Map.of(Limits.ORDER_RATE_PER_SECOND, "100000"));
                ServiceProcess service = around.startService()) {
            around.addShard(1, 9);
            around.transaction.executeWithoutResult(status -> {
                write(around, 1);
                around.send(reservationsOfBothShards(MESSAGES));
                await().atMost(Duration.ofSeconds(45)).until(() -> waitsForRow(around));
                signal("-STOP", service.pid());
            });
            try {
                assertThatThrownBy(() -> write(around, 0)).hasMessageContaining("1205");
                await().atMost(BOUND).ignoreExceptions().until(() -> write(around, 0));
            } finally {
                signal("-CONT", service.pid());
            }
            assertEachEndsOnce(around);
            assertThat(service.health()).isEqualTo(200);
        }
    }

    private static boolean waitsForRow(AroundTheService around) {
        return around.count("information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") > 0;
    }

    private static boolean write(AroundTheService around, int shard) {
        String statement = "SET STATEMENT innodb_lock_wait_timeout = 1 FOR UPDATE shard_ledger"
                + " SET allocated = allocated + 1 WHERE product_id = '518' AND shard = ?";
        return around.sql.update(statement, shard) == 1;
    }

    private static void assertEachEndsOnce(AroundTheService around) {
        await().atMost(Duration.ofSeconds(60)).until(() -> around.orders() == MESSAGES);
        await().atMost(Duration.ofSeconds(45)).until(() -> around.count("outbox") == 0);
        assertThat(around.count("orders WHERE status = 'UNPAID'")).isEqualTo(MESSAGES);
        assertThat(around.sql.queryForList("SELECT sold FROM shard_ledger", Integer.class))
                .containsOnly(MESSAGES / 2);
        assertThat(around.count("parked_message")).isZero();
    }
}
