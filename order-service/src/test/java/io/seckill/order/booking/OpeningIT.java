package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

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
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Reservations that shards made before they were taken back. */
class OpeningIT extends RealService {

    private static final int REBUILT = -1;

    @Autowired
    OrderWriter writer;

    @Autowired
    OrderSn orderSn;

    @Autowired
    PlatformTransactionManager transactions;

    @BeforeEach
    void noPace() {
        setLimit("100000");
    }

    @AfterEach
    void pace() {
        setLimit("500");
    }

    /** Opened twice: what was reserved up to 9 survived the first, up to 5 the second. */
    @ParameterizedTest
    @CsvSource({
        "1, 5, UNPAID",
        "1, 6, LOST",
        "1, 10, LOST",
        "2, 5, UNPAID",
        "2, 6, LOST",
        "3, 6, UNPAID",
        "4, 6, UNPAID",
    })
    void reservation_is_ordered_only_if_every_later_opening_kept_it(
            int epoch, long seq, String expected) {
        String fast = sale(5);
        String careful = sale(5);
        for (String product : List.of(fast, careful)) {
            open(sql::update, product, 2, 9);
            open(sql::update, product, 3, 5);
        }

        handler.handle(List.of(stamped(reservation(fast, "alice", 0), epoch, seq)));
        writer.write(List.of(unpaid(stamped(reservation(careful, "alice", 0), epoch, seq))));

        for (String product : List.of(fast, careful)) {
            assertThat(outcomes(product)).containsExactly(expected);
            assertThat(lastSeq(product)).isEqualTo(expected.equals("LOST") ? 0 : seq);
            assertBooksBalance(product);
        }
    }

    @Test
    void reservations_lost_by_a_rebuild_are_told_so_and_owe_no_return() {
        String product = sale(100);
        List<Reservation> lost = reservations(product, 60, 0);
        open(sql::update, product, 2, REBUILT);
        Metrics before = metrics();

        handler.handle(lost);
        handler.handle(lost);

        assertThat(outcomes(product)).hasSize(60).containsOnly("LOST");
        assertThat(sql.queryForList(
                        "SELECT DISTINCT final_epoch FROM orders WHERE product_id = ?",
                        Integer.class,
                        product))
                .containsExactly(2);
        assertThat(lastSeq(product)).isZero();
        assertThat(returnsOf(product)).isEmpty();
        assertThat(state(product)).isEqualTo("OPEN");
        assertThat(metrics().sum("seckill_rejected_total") - before.sum("seckill_rejected_total"))
                .isEqualTo(60);
        assertThat(metrics().objections()).isEmpty();
        assertBooksBalance(product);
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(lost.get(7).reservationId()))
                        .extracting(OrderEvent::status, OrderEvent::reason)
                        .contains(tuple(OrderEvent.Status.REJECTED, "LOST")));
    }

    /** Its row was there before the opening, so it was counted with what lives. */
    @Test
    void order_stays_an_order_when_its_reservation_comes_again_after_a_rebuild() {
        String product = sale(5);
        List<Reservation> early = reservations(product, 1, 0);
        handler.handle(early);
        open(sql::update, product, 2, REBUILT);

        handler.handle(early);
        writer.write(List.of(unpaid(early.get(0))));

        assertThat(outcomes(product)).containsExactly("UNPAID");
        assertThat(lastSeq(product)).isZero();
        assertBooksBalance(product);
    }

    /** The opening is committed after the batch read its offers and before it meets the ledger. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 100})
    void opening_in_the_middle_of_a_batch_is_seen_by_it(int size) throws Exception {
        String product = sale(100);
        List<Reservation> batch = reservations(product, size, 0);
        long kept = batch.get(size / 2).seq();
        CompletableFuture<Void> landing;
        try (Connection recovery = connection()) {
            execute(
                    recovery,
                    "SELECT 1 FROM shard_ledger WHERE product_id = " + product + " FOR UPDATE");
            landing = CompletableFuture.runAsync(() -> handler.handle(batch));
            awaitLockWait();
            open((text, values) -> execute(recovery, text, values), product, 2, kept);
            recovery.commit();
        }
        landing.join();

        assertThat(count(product, "UNPAID")).isEqualTo(size / 2 + 1L);
        assertThat(outcomes(product)).filteredOn("LOST"::equals).hasSize(size - size / 2 - 1);
        assertThat(lastSeq(product)).isEqualTo(kept);
        assertBooksBalance(product);
    }

    @Test
    void careful_way_sees_an_opening_that_its_transaction_s_snapshot_has_not() {
        String product = sale(5);
        TransactionTemplate snapshot = new TransactionTemplate(transactions);
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        Order late = unpaid(reservation(product, "alice", 0));

        snapshot.executeWithoutResult(status -> {
            assertThat(count(product, "UNPAID")).isZero();
            CompletableFuture.runAsync(() -> open(sql::update, product, 2, REBUILT))
                    .join();
            writer.write(List.of(late));
        });

        assertThat(outcomes(product)).containsExactly("LOST");
        assertBooksBalance(product);
    }

    /**
     * Two instances, deliveries that repeat and overtake each other, and a recovery that opens the
     * shard again and again: it notes, under its lock, which orders live, for those it keeps.
     */
    @ParameterizedTest
    @ValueSource(ints = {11, 12, 13})
    void openings_between_deliveries_lose_no_order_and_sell_no_lost_unit(int seed)
            throws Exception {
        String product = sale(400);
        List<Reservation> all = reservations(product, 400, 0);
        Random random = new Random(seed);
        handler.handle(all.subList(0, 25));
        List<Opening> openings = Collections.synchronizedList(new ArrayList<>());
        openings.add(reopen(product, 2, all.get(300).seq()));
        List<Callable<Object>> works = new ArrayList<>();
        for (int part = 0; part < 16; part++) {
            List<Reservation> delivery =
                    new ArrayList<>(all.subList(part / 2 * 50, part / 2 * 50 + 50));
            Collections.shuffle(delivery, random);
            works.add(() -> {
                deliver(delivery);
                return true;
            });
        }
        works.add(() -> {
            for (int epoch = 3; epoch < 12; epoch++) {
                long kept = random.nextBoolean()
                        ? REBUILT
                        : all.get(random.nextInt(all.size())).seq();
                openings.add(reopen(product, epoch, kept));
            }
            return true;
        });

        atOnce(works);
        deliver(all);

        Set<String> live = live(sql.queryForList(LIVE, String.class, product));
        assertThat(outcomes(product)).hasSize(400).containsOnly("UNPAID", "LOST");
        for (Reservation one : all) {
            boolean lost = openings.stream().anyMatch(opening -> opening.lost(one));
            assertThat(live.contains(one.reservationId())).isEqualTo(!lost);
        }
        assertThat(live).isNotEmpty().hasSizeLessThan(400);
        assertBooksBalance(product);
    }

    private static final String LIVE =
            "SELECT reservation_id FROM orders WHERE product_id = ? AND status = 'UNPAID'";

    /** Of all reservations of the first epoch. */
    private record Opening(long kept, Set<String> live) {

        boolean lost(Reservation one) {
            return kept < one.seq() && !live.contains(one.reservationId());
        }
    }

    private Opening reopen(String product, int epoch, long kept) {
        return new TransactionTemplate(transactions).execute(status -> {
            sql.queryForList("SELECT 1 FROM shard_ledger WHERE product_id = ? FOR UPDATE", product);
            Set<String> live = live(sql.queryForList(LIVE, String.class, product));
            open(sql::update, product, epoch, kept);
            return new Opening(kept, live);
        });
    }

    private static Set<String> live(List<String> ids) {
        return new HashSet<>(ids);
    }

    /** What lost every try against the others comes again, as from the broker. */
    private void deliver(List<Reservation> batch) {
        await().atMost(Duration.ofSeconds(25)).ignoreExceptions().until(() -> {
            handler.handle(batch);
            return true;
        });
    }

    @ParameterizedTest
    @CsvSource({"OPEN, RECOVERING", "RECOVERING, RECOVERING", "RETIRED, RETIRED"})
    void full_ledger_is_proof_that_its_shard_lost_something(String before, String after) {
        String product = sale(20);
        List<Reservation> all = reservations(product, 40, 0);
        handler.handle(all.subList(0, 20));
        assertThat(state(product)).isEqualTo("OPEN");
        setState(product, before);

        handler.handle(all.subList(20, 40));

        assertThat(outcomes(product)).filteredOn("LEDGER_FULL"::equals).hasSize(20);
        assertThat(returnsOf(product))
                .hasSize(20)
                .extracting(StockReturn::action)
                .containsOnly(StockReturn.Action.BURN);
        assertThat(state(product)).isEqualTo(after);
        assertBooksBalance(product);
    }

    @Test
    void reservation_that_comes_again_when_its_ledger_is_full_proves_nothing() {
        String product = sale(1);
        List<Reservation> two = reservations(product, 2, 0);
        handler.handle(two);
        setState(product, "OPEN");

        handler.handle(two);
        two.forEach(again -> writer.write(List.of(unpaid(again))));

        assertThat(state(product)).isEqualTo("OPEN");
        assertBooksBalance(product);
    }

    /** Openings decide, not what the shard's state is when the message comes. */
    @ParameterizedTest
    @ValueSource(strings = {"RECOVERING", "RETIRED"})
    void reservation_that_was_kept_becomes_an_order_whatever_the_state(String state) {
        String product = sale(5);
        setState(product, state);

        handler.handle(reservations(product, 2, 0));

        assertThat(outcomes(product)).containsExactly("UNPAID", "UNPAID");
        assertThat(state(product)).isEqualTo(state);
        assertBooksBalance(product);
    }

    private Order unpaid(Reservation from) {
        Offer offer = new Offer(from.productId(), from.shard(), 1, PRICE, 2, 900);
        return Order.unpaid(orderSn.next(from.userId()), from, offer, System.currentTimeMillis());
    }

    private List<String> outcomes(String product) {
        return sql.queryForList(
                "SELECT COALESCE(reason, status) FROM orders WHERE product_id = ?",
                String.class,
                product);
    }

    private List<StockReturn> returnsOf(String product) {
        return decided(StockReturn.TOPIC, StockReturn.class).stream()
                .filter(units -> units.productId().equals(product))
                .toList();
    }

    private long lastSeq(String product) {
        return sql.queryForObject(
                "SELECT last_seq FROM shard_ledger WHERE product_id = ?", Long.class, product);
    }

    private String state(String product) {
        return sql.queryForObject(
                "SELECT state FROM shard_ledger WHERE product_id = ?", String.class, product);
    }

    private void setState(String product, String state) {
        sql.update("UPDATE shard_ledger SET state = ? WHERE product_id = ?", state, product);
    }

    /** One statement of whoever opens the shard. */
    private interface Statement {
        int update(String text, Object... values);
    }

    /** The shard is taken back: what it reserved up to {@code kept} still has its units. */
    private static void open(Statement sql, String product, int epoch, long kept) {
        sql.update(
                "UPDATE shard_ledger SET epoch = ?, last_seq = 0 WHERE product_id = ?",
                epoch,
                product);
        sql.update("INSERT INTO shard_opening VALUES (?, 0, ?, ?, 1)", product, epoch, kept);
    }

    private static Connection connection() throws SQLException {
        Connection connection = DriverManager.getConnection(DATABASE.url(), "root", "");
        connection.setAutoCommit(false);
        return connection;
    }

    private static int execute(Connection connection, String text, Object... values) {
        try (var statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
            return statement.getUpdateCount();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitLockWait() {
        await().until(() -> sql.queryForObject(
                        "SELECT COUNT(*) FROM information_schema.innodb_trx"
                                + " WHERE trx_state = 'LOCK WAIT'",
                        Long.class)
                > 0);
    }
}
