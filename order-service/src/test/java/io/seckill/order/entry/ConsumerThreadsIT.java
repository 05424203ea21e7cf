package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.order.RealService;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsumerThreadsIT extends RealService {

    /** Of a machine so busy that a batch takes as long as the other waits for its lock. */
    private static final int TRIES = 5;

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void batch_lands_while_that_of_another_queue_waits_in_its_transaction() throws Exception {
        setLimit("500");
        boolean together = false;
        for (int n = 0; n < TRIES && !together; n++) {
            together = landsBesideOneThatWaits(sale(5, 5));
        }
        assertThat(together).isTrue();
    }

    /** The broker gives each send a queue of its own, in turn. */
    private boolean landsBesideOneThatWaits(String product) throws SQLException {
        try (Connection holder = DriverManager.getConnection(DATABASE.url(), "root", "");
                Statement by = holder.createStatement()) {
            holder.setAutoCommit(false);
            by.execute("SELECT 1 FROM shard_ledger WHERE product_id = '" + product
                    + "' AND shard = 0 FOR UPDATE");
            sendAll(List.of(reservation(product, "alice", 0)));
            await().atMost(SOON).until(() -> waiting().size() == 1);
            List<String> before = waiting();
            sendAll(List.of(reservation(product, "bob", 1)));
            await().atMost(SOON).until(() -> count(product, "UNPAID") == 1);
            List<String> after = waiting();
            holder.rollback();
            await().atMost(SOON).until(() -> count(product, "UNPAID") == 2);
            return after.equals(before);
        }
    }

    /** Transactions that wait for a lock. */
    private List<String> waiting() {
        return sql.queryForList(
                "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
                String.class);
    }
}
