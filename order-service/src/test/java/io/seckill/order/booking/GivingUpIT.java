package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.Metrics;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;

class GivingUpIT extends RealService {

    private static final Duration TEN_TRIES = Duration.ofSeconds(60);

    @Autowired
    MessageSender sender;

    @AfterEach
    void takeAll() {
        sql.execute("DROP TRIGGER IF EXISTS poison");
        sql.execute("DROP TRIGGER IF EXISTS no_return");
        sql.execute("DROP TRIGGER IF EXISTS no_second_thought");
        sql.execute("DROP TABLE IF EXISTS return_refused");
    }

    @Test
    void poison_is_parked_and_rejected_and_its_unit_goes_back_once_however_often_it_is_replayed() {
        String product = sale(5);
        Reservation bad = reservation(product, "eve", 0);
        Reservation good = reservation(product, "alice", 0);
        refuse("NEW.status = 'UNPAID' AND NEW.reservation_id = '" + bad.reservationId() + "'");
        Metrics before = metrics();

        send(bad, good);

        await().atMost(TEN_TRIES).until(() -> parked(bad) == 1);
        assertThat(rows(bad)).containsExactly("REJECTED INVALID");
        assertThat(rows(good)).containsExactly("UNPAID");
        assertThat(metrics().sum("seckill_parked_total") - before.sum("seckill_parked_total"))
                .isEqualTo(1);
        assertGivenBackOnce(bad);

        takeAll();
        send(bad);
        await().atMost(TEN_TRIES)
                .until(() -> metrics().sum("seckill_repeated_total")
                        > before.sum("seckill_repeated_total"));
        assertThat(rows(bad)).containsExactly("REJECTED INVALID");
        assertGivenBackOnce(bad);
        assertThat(metrics().objections()).isEmpty();
    }

    @Test
    void poison_that_cannot_even_be_rejected_is_parked_alone() {
        String product = sale(5);
        Reservation bad = reservation(product, "eve", 0);
        refuse("NEW.reservation_id = '" + bad.reservationId() + "'");

        send(bad);

        await().atMost(TEN_TRIES).until(() -> parked(bad) == 1);
        assertThat(rows(bad)).isEmpty();
        assertBooksBalance(product);
    }

    /** Parked alone it would be afterwards as well: the database refuses that, too. */
    @Test
    void poison_whose_return_is_refused_is_not_parked_either_until_both_are_taken() {
        String product = sale(5);
        Reservation bad = reservation(product, "eve", 0);
        refuseItsReturn(bad);

        assertThatThrownBy(() -> giveUp(bad, new IllegalStateException("made up")))
                .hasMessageContaining("no second thought");
        assertThat(sql.queryForObject("SELECT COUNT(*) FROM return_refused", Long.class))
                .isEqualTo(1);
        assertThat(parked(bad)).isZero();
        assertThat(rows(bad)).isEmpty();
        assertBooksBalance(product);

        takeAll();
        giveUp(bad, new IllegalStateException("made up"));
        assertThat(parked(bad)).isEqualTo(1);
        assertThat(rows(bad)).containsExactly("REJECTED INVALID");
        assertGivenBackOnce(bad);
    }

    @Test
    void reservation_that_has_an_order_keeps_it() {
        String product = sale(5);
        Reservation known = reservation(product, "alice", 0);
        handler.handle(List.of(known));

        giveUp(known, new IllegalStateException("made up"));

        assertThat(parked(known)).isEqualTo(1);
        assertThat(rows(known)).containsExactly("UNPAID");
        assertThat(sold(product)).isEqualTo(1);
        assertBooksBalance(product);
    }

    @Test
    void reservation_of_a_shard_without_a_ledger_is_parked_alone() {
        Reservation foreign = reservation(sale(5), "alice", 7);

        giveUp(foreign, new IllegalStateException("made up"));

        assertThat(parked(foreign)).isEqualTo(1);
        assertThat(rows(foreign)).isEmpty();
    }

    static Stream<Throwable> reasonsThatMayPass() {
        SQLException lockWait = new SQLException("made up", "HY000", 1205);
        return Stream.of(
                new PessimisticLockingFailureException("made up", lockWait),
                new UncategorizedSQLException("made up", null, lockWait),
                new TransientDataAccessResourceException("no order numbers are left"),
                new RecoverableDataAccessException("made up"),
                new DataAccessResourceFailureException("made up"),
                new CannotCreateTransactionException("made up"),
                new OutOfMemoryError("made up"));
    }

    @ParameterizedTest
    @MethodSource("reasonsThatMayPass")
    void reservation_that_failed_for_a_reason_that_may_pass_is_parked_and_may_become_an_order(
            Throwable reason) {
        String product = sale(5);
        Reservation good = reservation(product, "alice", 0);

        giveUp(good, reason);

        assertThat(parked(good)).isEqualTo(1);
        assertThat(rows(good)).isEmpty();
        handler.handle(List.of(good));
        assertThat(rows(good)).containsExactly("UNPAID");
        assertBooksBalance(product);
    }

    /** With an error that the service does not know. */
    private void refuse(String row) {
        sql.execute("CREATE TRIGGER poison BEFORE INSERT ON orders FOR EACH ROW IF " + row
                + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; END IF");
    }

    /**
     * And whatever is parked after that. A table without transactions remembers it, when all else
     * is rolled back.
     */
    private void refuseItsReturn(Reservation bad) {
        sql.execute("CREATE TABLE return_refused (n INT) ENGINE=MyISAM");
        sql.execute("CREATE TRIGGER no_return BEFORE INSERT ON outbox FOR EACH ROW"
                + " IF NEW.topic = '" + StockReturn.TOPIC + "' AND NEW.messages LIKE '"
                + bad.reservationId() + "%' THEN INSERT INTO return_refused VALUES (1);"
                + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no return'; END IF");
        sql.execute("CREATE TRIGGER no_second_thought BEFORE INSERT ON parked_message"
                + " FOR EACH ROW IF EXISTS (SELECT 1 FROM return_refused)"
                + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no second thought'; END IF");
    }

    private void send(Reservation... all) {
        assertThat(sender.send(
                        Reservation.TOPIC,
                        Stream.of(all)
                                .map(r -> new Outgoing(r.reservationId(), RelayKeys.body(r)))
                                .toList()))
                .isTrue();
    }

    private void giveUp(Reservation one, Throwable failure) {
        handler.giveUp(one, Reservation.TOPIC, one.reservationId(), Json.write(one), failure);
    }

    private long parked(Reservation one) {
        return sql.queryForObject(
                "SELECT COUNT(*) FROM parked_message WHERE body LIKE CONCAT('%', ?, '%')",
                Long.class, one.reservationId());
    }

    private List<String> rows(Reservation of) {
        return sql.queryForList(
                "SELECT CONCAT_WS(' ', status, reason) FROM orders WHERE reservation_id = ?",
                String.class,
                of.reservationId());
    }

    private void assertGivenBackOnce(Reservation bad) {
        assertBooksBalance(bad.productId());
        assertThat(RETURNS.of(bad.reservationId()))
                .extracting(StockReturn::action, StockReturn::cause)
                .containsExactly(tuple(Action.RETURN, "INVALID"));
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(bad.reservationId()))
                        .extracting(OrderEvent::status, OrderEvent::reason)
                        .containsExactly(tuple(OrderEvent.Status.REJECTED, "INVALID")));
    }
}
