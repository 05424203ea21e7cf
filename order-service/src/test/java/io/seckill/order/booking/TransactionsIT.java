package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.order.RealService;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.PessimisticLockingFailureException;

class TransactionsIT extends RealService {

    @Autowired
    Transactions transactions;

    @Autowired
    LedgerMapper ledger;

    private final AtomicInteger tries = new AtomicInteger();

    @Test
    void victim_of_a_deadlock_runs_again_from_its_start() throws Exception {
        String product = sale(9, 9);
        CountDownLatch bothHoldOne = new CountDownLatch(2);

        atOnce(List.of(
                () -> takeBoth(product, 0, 1, bothHoldOne),
                () -> takeBoth(product, 1, 0, bothHoldOne)));

        assertThat(tries.get()).isEqualTo(3);
        assertThat(sold(product)).isEqualTo(4);
    }

    private Object takeBoth(String product, int first, int second, CountDownLatch bothHoldOne) {
        run(() -> {
            tries.incrementAndGet();
            ledger.take(unit(product, first));
            bothHoldOne.countDown();
            awaitQuietly(bothHoldOne);
            ledger.take(unit(product, second));
        });
        return null;
    }

    @Test
    void lock_wait_that_ended_takes_the_whole_transaction_back() throws Exception {
        String product = sale(9, 9);
        try (Connection holder = DriverManager.getConnection(DATABASE.url(), "root", "")) {
            holder.setAutoCommit(false);
            holder.createStatement()
                    .executeUpdate("UPDATE shard_ledger SET sold = sold + 1"
                            + " WHERE shard = 1 AND product_id = " + product);

            assertThatThrownBy(() -> run(() -> {
                        ledger.take(unit(product, 0));
                        ledger.take(unit(product, 1));
                    }))
                    .matches(Transactions::isLockWait);
        }
        assertThat(sold(product)).isZero();
    }

    @Test
    void other_errors_are_not_tried_again() {
        String product = sale(9);

        assertThatThrownBy(() -> run(() -> {
                    tries.incrementAndGet();
                    ledger.take(unit(product, 0));
                    sql.update("UPDATE shard_ledger SET sold = -1 WHERE product_id = ?", product);
                }))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(tries).hasValue(1);
        assertThat(sold(product)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1213, 4", "1205, 1", "1062, 1", "1020, 1"})
    void only_victims_of_deadlocks_are_tried_again_and_four_times_at_most(
            int code, int expectedTries) {
        DataAccessException failure =
                new PessimisticLockingFailureException("made up", new SQLException("", "", code));

        assertThatThrownBy(() -> run(() -> {
                    tries.incrementAndGet();
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(tries).hasValue(expectedTries);
    }

    private void run(Runnable work) {
        transactions.call(() -> {
            work.run();
            return null;
        });
    }

    private static Units unit(String product, int shard) {
        return new Units(product, shard, 1, 1, 1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
