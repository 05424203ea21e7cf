package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** A batch that stops, in its transaction, at the last message it writes. */
class LedgerLastIT extends RealService {

    private static final int BATCH = 64;
    private static final Duration SOON = Duration.ofSeconds(9); // below the pool's own patience

    @Autowired
    LedgerMapper ledger;

    @AfterEach
    void takeAll() {
        sql.execute("DROP TRIGGER IF EXISTS gate");
    }

    /** Of those that want three units nobody may have one. */
    @ParameterizedTest
    @CsvSource({"1, order_event, UNPAID", "3, stock_return, REJECTED"})
    void ledger_row_is_free_until_all_else_of_the_batch_is_written(
            int quantity, String last, String status) throws Exception {
        String product = sale(BATCH);
        List<Reservation> batch = reservations(product, BATCH, 0).stream()
                .map(r -> wanting(quantity, r))
                .toList();
        sql.execute("CREATE TRIGGER gate BEFORE INSERT ON outbox FOR EACH ROW IF NEW.topic = '"
                + last + "' THEN DO GET_LOCK('gate', 20), RELEASE_LOCK('gate'); END IF");
        try (Connection gate = DriverManager.getConnection(DATABASE.url(), "root", "");
                Statement at = gate.createStatement()) {
            gate.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
            at.execute("DO GET_LOCK('gate', 0)");
            Callable<Object> looker = () -> {
                await().atMost(SOON).until(this::somebodyWaitsAtTheGate);
                assertThat(uncommitted(at, product)).isEqualTo(BATCH);
                assertThat(ledger.free(product, 0)).as("the row of shard 0").containsExactly(0);
                return at.execute("DO RELEASE_LOCK('gate')");
            };
            Callable<Object> batchLands = () -> {
                handler.handle(batch);
                return true;
            };
            atOnce(List.of(looker, batchLands));
        }
        assertThat(count(product, status)).isEqualTo(BATCH);
        assertBooksBalance(product);
    }

    private boolean somebodyWaitsAtTheGate() {
        return sql.queryForObject(
                        "SELECT COUNT(*) FROM information_schema.processlist"
                                + " WHERE state = 'User lock'",
                        Long.class)
                > 0;
    }

    private static long uncommitted(Statement by, String product) throws SQLException {
        try (ResultSet orders = by.executeQuery(
                "SELECT COUNT(*) FROM orders WHERE product_id = '" + product + "'")) {
            orders.next();
            return orders.getLong(1);
        }
    }

    private static Reservation wanting(int quantity, Reservation r) {
        return new Reservation(
                r.reservationId(),
                r.productId(),
                r.userId(),
                quantity,
                r.shard(),
                r.epoch(),
                r.seq(),
                r.reservedAtMs());
    }
}
