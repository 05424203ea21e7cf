package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.HeldUpException;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.testkit.Metrics;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

class LandingIT extends RealService {

    private static final int BATCH = 256;
    private static final int LOG2_BATCH = 8;

    @Autowired
    Transactions transactions;

    @Autowired
    OrderBatch rows;

    @Autowired
    LedgerMapper ledger;

    @Autowired
    HeldRows heldRows;

    @Autowired
    OrderSn orderSn;

    @Autowired
    ConfigurableTransactionManager manager;

    @BeforeEach
    void noPace() {
        setLimit("100000");
    }

    @AfterEach
    void repair() {
        sql.execute("ALTER TABLE orders DROP CONSTRAINT IF EXISTS no_eve");
        setLimit("500");
    }

    @Test
    void batch_without_conflict_costs_the_database_no_statement_per_order() {
        String product = sale(BATCH, BATCH);
        List<Reservation> batch = Stream.of(
                        reservations(product, BATCH / 2, 0),
                        users("b", reservations(product, BATCH / 2, 1)))
                .flatMap(List::stream)
                .toList();
        long before = statements();

        handler.handle(batch);

        assertThat(statements() - before).isLessThan(BATCH / 4);
        assertThat(count(product, "UNPAID")).isEqualTo(BATCH);
        assertThat(sql.queryForList(
                        "SELECT sold FROM shard_ledger WHERE product_id = ?", Long.class, product))
                .containsExactly(BATCH / 2L, BATCH / 2L);
        assertBooksBalance(product);
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .filteredOn(event -> event.productId().equals(product))
                .extracting(OrderEvent::reservationId)
                .containsExactlyInAnyOrderElementsOf(ids(batch));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, BATCH - 1})
    void row_that_the_database_refuses_is_rejected_and_its_neighbours_become_orders(int place) {
        String product = sale(BATCH);
        List<Reservation> batch = reservations(product, BATCH, 0);
        Reservation bad = batch.get(place);
        Metrics before = metrics();
        sql.execute("ALTER TABLE orders ADD CONSTRAINT no_eve CHECK (status = 'REJECTED'"
                + " OR reservation_id <> '" + bad.reservationId() + "')");
        long rollbacks = status("Com_rollback");

        int tries = transactionsOf(() -> handler.handle(batch));

        assertThat(status("Com_rollback") - rollbacks).isBetween(2L, LOG2_BATCH + 2L);
        assertThat(tries)
                .as("two for each halving, the first two and the rejection; more after a deadlock")
                .isBetween(2 * LOG2_BATCH, 3 * LOG2_BATCH);
        assertThat(count(product, "UNPAID")).isEqualTo(BATCH - 1);
        assertThat(sql.queryForList(
                        "SELECT reason FROM orders WHERE product_id = ? AND status = 'REJECTED'",
                        String.class,
                        product))
                .containsExactly("INVALID");
        assertBooksBalance(product);
        assertThat(RETURNS.of(bad.reservationId()))
                .extracting(StockReturn::action)
                .containsExactly(StockReturn.Action.RETURN);
        assertThat(metrics().sum("seckill_rejected_total") - before.sum("seckill_rejected_total"))
                .isEqualTo(1);
        assertThat(metrics().objections()).isEmpty();
    }

    @Test
    void row_that_cannot_even_be_rejected_is_parked_once_and_holds_up_nobody() {
        String product = sale(40);
        List<Reservation> batch = reservations(product, 40, 0);
        String bad = batch.get(17).reservationId();
        sql.execute(
                "ALTER TABLE orders ADD CONSTRAINT no_eve CHECK (reservation_id <> '" + bad + "')");

        handler.handle(batch);
        handler.handle(batch);

        assertThat(count(product, "UNPAID")).isEqualTo(39);
        assertThat(sold(product)).isEqualTo(39);
        assertThat(sql.queryForList(
                        "SELECT reason FROM parked_message WHERE message_id = ?",
                        String.class,
                        bad))
                .singleElement()
                .asString()
                .contains("no_eve");
        assertBooksBalance(product);
        assertThat(metrics().objections()).isEmpty();
    }

    @Test
    void reservation_twice_and_user_twice_in_a_batch_become_one_order_each() {
        String product = sale(BATCH, 5);
        List<Reservation> batch = new ArrayList<>(reservations(product, 100, 0));
        batch.add(batch.get(50));
        Reservation second = user(batch.get(60).userId(), reservation(product, "x", 1));
        batch.add(second);

        handler.handle(batch);

        assertThat(count(product, "UNPAID")).isEqualTo(100);
        assertThat(count(product, "REJECTED")).isEqualTo(1);
        assertThat(sold(product)).isEqualTo(100);
        assertBooksBalance(product);
        assertThat(metrics().objections()).isEmpty();
    }

    @Test
    void ledger_that_fills_in_the_middle_of_a_batch_takes_as_many_as_it_holds() {
        String product = sale(90, BATCH);
        List<Reservation> batch = new ArrayList<>(reservations(product, 200, 0));
        batch.addAll(users("b", reservations(product, 56, 1)));

        handler.handle(batch);

        assertThat(sql.queryForList(
                        "SELECT sold FROM shard_ledger WHERE product_id = ?", Long.class, product))
                .containsExactly(90L, 56L);
        assertThat(sql.queryForList(
                        "SELECT reason FROM orders WHERE product_id = ? AND status = 'REJECTED'",
                        String.class,
                        product))
                .hasSize(110)
                .containsOnly("LEDGER_FULL");
        assertThat(sql.queryForObject(
                        "SELECT last_seq FROM shard_ledger WHERE product_id = ? AND shard = 0",
                        Long.class,
                        product))
                .isEqualTo(batch.get(199).seq());
        assertBooksBalance(product);
    }

    @Test
    void same_batch_again_and_shuffled_and_in_parts_at_once_changes_nothing() throws Exception {
        String product = sale(BATCH, 100);
        List<Reservation> all = new ArrayList<>(reservations(product, BATCH, 0));
        all.addAll(users("b", reservations(product, 144, 1)));
        Random random = new Random(9);
        List<Callable<Object>> deliveries = new ArrayList<>();
        for (int again = 0; again < 5; again++) {
            List<Reservation> shuffled = new ArrayList<>(all);
            Collections.shuffle(shuffled, random);
            deliveries.add(handling(shuffled.subList(0, BATCH)));
            deliveries.add(handling(shuffled.subList(BATCH, all.size())));
        }

        deliver(deliveries);
        handler.handle(all.subList(0, BATCH));
        handler.handle(all.subList(BATCH, all.size()));

        assertThat(sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE product_id = ?",
                        String.class,
                        product))
                .containsExactlyInAnyOrderElementsOf(ids(all));
        assertThat(count(product, "UNPAID")).isEqualTo(BATCH + 100);
        assertBooksBalance(product);
    }

    /** What lost every try against the others comes again, as from the broker. */
    private static void deliver(List<Callable<Object>> deliveries) throws Exception {
        atOnce(deliveries.stream()
                .map(delivery -> (Callable<Object>) () -> {
                    await().atMost(Duration.ofSeconds(25)).ignoreExceptions().until(() -> {
                        delivery.call();
                        return true;
                    });
                    return true;
                })
                .toList());
    }

    @Test
    void database_killed_before_the_commit_has_nothing_and_takes_all_of_it_later() {
        String product = sale(BATCH);
        List<Reservation> batch = new ArrayList<>(reservations(product, BATCH, 0));
        Offer offer = new Offer(product, 0, 1, PRICE, 2, 900);
        List<Order> orders = batch.stream()
                .map(r -> Order.unpaid(orderSn.next(r.userId()), r, offer, 5))
                .toList();

        assertThatThrownBy(() -> transactions.attempt(() -> {
                    rows.insert(orders);
                    DATABASE.kill();
                    return true;
                }))
                .isInstanceOf(RuntimeException.class);
        DATABASE.start();

        untilItAnswers(() -> assertThat(count(product, "UNPAID")).isZero());
        Collections.shuffle(batch, new Random(1));
        untilItAnswers(() -> handler.handle(batch));
        DATABASE.kill();
        DATABASE.start();
        untilItAnswers(() -> handler.handle(batch));
        assertThat(count(product, "UNPAID")).isEqualTo(BATCH);
        assertThat(sold(product)).isEqualTo(BATCH);
        assertBooksBalance(product);
    }

    /** The pool finds out one by one that its connections are those of a database that died. */
    private static void untilItAnswers(Runnable work) {
        await().atMost(Duration.ofSeconds(25)).ignoreExceptions().until(() -> {
            work.run();
            return true;
        });
    }

    /** One wait of 3 s for all of them, and none for those that come later. */
    @Test
    void ledger_row_that_somebody_else_holds_keeps_its_own_orders_and_no_other() throws Exception {
        String product = sale(BATCH, BATCH);
        List<Reservation> batch = mixed(product, 0, 100);
        List<Reservation> later = mixed(product, 100, 100);
        List<Reservation> held = new ArrayList<>(batch);
        held.addAll(later);
        held.removeIf(r -> r.shard() == 1);
        try (Connection holder = holding("SELECT 1 FROM shard_ledger WHERE shard = 0 AND"
                + " product_id = '" + product + "' FOR UPDATE")) {
            long startNs = System.nanoTime();
            assertHeldUp(batch, 50);
            assertThat(seconds(startNs)).isBetween(2.5, 5.5);
            startNs = System.nanoTime();
            assertHeldUp(later, 50);
            assertThat(seconds(startNs)).isLessThan(1);
            assertThat(count(product, "UNPAID")).isEqualTo(100);
            assertThat(heldRows.count()).isEqualTo(1);
            holder.rollback();
        }
        handler.handle(held);
        assertThat(count(product, "UNPAID")).isEqualTo(200);
        assertThat(heldRows.count()).isZero();
        assertThat(metrics().objections()).isEmpty();
        assertBooksBalance(product);
    }

    /** Its messages are dropped, so that none of them finds out. */
    @Test
    void ledger_row_that_was_held_when_its_sale_was_removed_is_held_no_more() throws Exception {
        String product = sale(BATCH);
        List<Reservation> batch = reservations(product, 8, 0);
        try (Connection holder =
                holding("DELETE FROM shard_ledger WHERE product_id = '" + product + "'")) {
            assertHeldUp(batch, 8);
            heldRows.look();
            assertThat(heldRows.count()).as("not removed yet").isEqualTo(1);
            holder.createStatement().execute("DELETE FROM sale WHERE product_id = " + product);
            holder.createStatement()
                    .execute("INSERT INTO removed_sale VALUES ('" + product + "', 1, 1)");
            holder.commit();
        }
        handler.handle(batch);
        await().atMost(Duration.ofSeconds(9)).until(() -> heldRows.count() == 0);
        assertThat(heldRows.learn(product, 0)).as("a row that is not there").isFalse();
    }

    /** Some other lock than a ledger's: who needs it is found by halving, the careful way too. */
    @Test
    void order_that_waits_for_a_lock_of_its_own_keeps_no_other_waiting() throws Exception {
        String product = sale(BATCH);
        List<Reservation> batch = reservations(product, 8, 0);
        handler.handle(batch.subList(0, 1)); // a conflict: the others land the careful way
        sql.update("DELETE FROM orders WHERE product_id = ?", product);
        sql.update("UPDATE shard_ledger SET sold = 0 WHERE product_id = ?", product);
        try (Connection holder = holding("INSERT INTO orders (order_sn, reservation_id, product_id,"
                + " user_id, shard, epoch, seq, quantity, price_cents, status, reserved_at_ms,"
                + " created_at_ms, pay_by_ms) VALUES ('9', '" + batch.get(5).reservationId()
                + "', " + product + ", 'eve', 0, 1, 1, 1, 1, 'UNPAID', 1, 1, 1)")) {
            assertHeldUp(batch, 1);
            assertThat(count(product, "UNPAID")).isEqualTo(7);
            holder.rollback();
        }
        handler.handle(batch);
        assertThat(count(product, "UNPAID")).isEqualTo(8);
        assertThat(metrics().objections()).isEmpty();
        assertBooksBalance(product);
    }

    private void assertHeldUp(List<Reservation> batch, int count) {
        assertThatThrownBy(() -> handler.handle(batch))
                .isInstanceOfSatisfying(
                        HeldUpException.class, e -> assertThat(e.messages()).hasSize(count));
    }

    private static Connection holding(String statement) throws SQLException {
        Connection holder = DriverManager.getConnection(DATABASE.url(), "root", "");
        holder.setAutoCommit(false);
        holder.createStatement().execute(statement);
        return holder;
    }

    private static double seconds(long startNs) {
        return (System.nanoTime() - startNs) / 1e9;
    }

    /** Half of each shard, by users of their own. */
    private static List<Reservation> mixed(String product, int from, int count) {
        List<Reservation> all = new ArrayList<>();
        for (int shard = 0; shard < 2; shard++) {
            all.addAll(users(
                    shard + "-",
                    reservations(product, from / 2 + count / 2, shard)
                            .subList(from / 2, from / 2 + count / 2)));
        }
        return all;
    }

    private Callable<Object> handling(List<Reservation> batch) {
        return () -> {
            handler.handle(batch);
            return true;
        };
    }

    /** Begun by this thread: neither the relay's nor the sweep's. */
    private int transactionsOf(Runnable work) {
        Thread self = Thread.currentThread();
        AtomicInteger begun = new AtomicInteger();
        Collection<TransactionExecutionListener> before =
                manager.getTransactionExecutionListeners();
        manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {
            @Override
            public void beforeBegin(TransactionExecution transaction) {
                begun.addAndGet(Thread.currentThread() == self ? 1 : 0);
            }
        }));
        try {
            work.run();
        } finally {
            manager.setTransactionExecutionListeners(before);
        }
        return begun.get();
    }

    /** But for the relay's, which deletes row by row what it sent. */
    private long statements() {
        return status("Questions") - status("Com_delete");
    }

    private long status(String name) {
        return sql.queryForObject(
                "SELECT variable_value FROM information_schema.global_status"
                        + " WHERE variable_name = ?",
                Long.class,
                name);
    }

    private static List<String> ids(List<Reservation> batch) {
        return batch.stream().map(Reservation::reservationId).toList();
    }

    /** The same reservations by other users. */
    private static List<Reservation> users(String prefix, List<Reservation> batch) {
        return batch.stream().map(r -> user(prefix + r.userId(), r)).toList();
    }

    private static Reservation user(String user, Reservation r) {
        return new Reservation(
                r.reservationId(),
                r.productId(),
                user,
                r.quantity(),
                r.shard(),
                r.epoch(),
                r.seq(),
                r.reservedAtMs());
    }
}
