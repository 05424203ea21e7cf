package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

class BookingServiceIT extends RealService {

    private static final List<String> COUNTERS = List.of(
            "seckill_reservations_total",
            "seckill_ordered_total",
            "seckill_rejected_total",
            "seckill_repeated_total",
            "seckill_parked_total",
            "seckill_dropped_total",
            "seckill_deferred_total");

    @Autowired
    MessageSender sender;

    @Test
    void reservation_from_the_topic_becomes_an_order_at_the_server_s_price_and_is_told() {
        String product = sale(5);
        Reservation reservation = reservation(product, "alice", 0);
        send(RelayKeys.body(reservation).replace("{", "{\"priceCents\":1,"));

        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "UNPAID") == 1);
        Map<String, Object> row = sql.queryForMap(
                "SELECT * FROM orders WHERE reservation_id = ?", reservation.reservationId());
        assertThat(row).containsEntry("user_id", "alice").containsEntry("price_cents", (long)
                PRICE);
        assertThat((long) row.get("pay_by_ms") - (long) row.get("created_at_ms"))
                .isEqualTo(900_000);
        assertBooksBalance(product);
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(reservation.reservationId()))
                        .containsExactly(new OrderEvent(
                                reservation.reservationId(),
                                product,
                                "alice",
                                reservation.reservedAtMs(),
                                OrderEvent.Status.ORDERED,
                                (String) row.get("order_sn"),
                                (long) row.get("pay_by_ms"),
                                null)));
    }

    @Test
    void reservation_delivered_five_times_at_once_becomes_one_order() throws Exception {
        String product = sale(40, 40);
        List<Reservation> batch = reservations(product, 30, 1);

        Metrics before = metrics();

        atOnce(Collections.nCopies(5, handling(batch)));
        handler.handle(batch);

        assertThat(metrics().sum("seckill_ordered_total") - before.sum("seckill_ordered_total"))
                .isEqualTo(30);
        assertThat(count(product, "UNPAID")).isEqualTo(30);
        assertThat(sold(product)).isEqualTo(30);
        assertBooksBalance(product);
    }

    /** A message of a removed synthetic sale comes late; it sells nothing and puzzles nobody. */
    @Test
    void reservation_of_a_removed_sale_is_dropped_and_counted_and_not_parked() {
        Reservation late = reservation(sale(5), "alice", 0);
        sql.update("DELETE FROM shard_ledger WHERE product_id = ?", late.productId());
        sql.update("DELETE FROM sale WHERE product_id = ?", late.productId());
        sql.update("INSERT INTO removed_sale VALUES (?, 1, 1)", late.productId());
        Metrics before = metrics();

        handler.handle(List.of(late));

        assertThat(metrics().sum("seckill_dropped_total") - before.sum("seckill_dropped_total"))
                .isEqualTo(1);
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM orders WHERE product_id = ?",
                        Long.class,
                        late.productId()))
                .isZero();
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM parked_message WHERE message_id = ?",
                        Long.class,
                        late.reservationId()))
                .isZero();
    }

    /** The first word may have been lost by whoever kept it; the row never is. */
    @ParameterizedTest
    @CsvSource({
        "UNPAID,    ORDERED",
        "PAID,      ORDERED",
        "REFUNDED,  CANCELLED",
        "CANCELLED, CANCELLED",
        "REJECTED,  REJECTED",
    })
    void redelivered_reservation_is_told_again_as_its_row_is_now(
            String rowNow, OrderEvent.Status told) {
        String product = sale(5);
        List<Reservation> known = reservations(product, 2, 0);
        String id = known.get(0).reservationId();
        handler.handle(known.subList(0, 1));
        sql.update(
                "UPDATE orders SET status = ?, reason = 'PAY_TIMEOUT', pay_by_ms = pay_by_ms + 1"
                        + " WHERE reservation_id = ?",
                rowNow,
                id);

        handler.handle(known);

        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(id))
                        .filteredOn(event -> event.reason() != null)
                        .extracting(OrderEvent::status)
                        .containsExactly(told));
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM orders WHERE product_id = ?", Long.class, product))
                .isEqualTo(2);
    }

    @Test
    void users_with_two_reservations_keep_one_order_and_the_other_unit_returns() throws Exception {
        String product = sale(20, 20);
        List<Reservation> here = reservations(product, 20, 0);
        List<Reservation> there = reservations(product, 20, 1);

        atOnce(List.of(handling(here), handling(there)));

        assertThat(count(product, "UNPAID")).isEqualTo(20);
        assertThat(sql.queryForList(
                        "SELECT reason FROM orders WHERE product_id = ?"
                                + " AND status = 'REJECTED'",
                        String.class,
                        product))
                .hasSize(20)
                .containsOnly("DUPLICATE_USER");
        assertBooksBalance(product);
    }

    @Test
    void reservation_beyond_the_ledger_is_rejected_and_its_unit_burned() {
        String product = sale(2, 5);
        List<Reservation> three = reservations(product, 3, 0);

        handler.handle(three);

        assertThat(count(product, "UNPAID")).isEqualTo(2);
        assertBooksBalance(product);
        Reservation beyond = three.get(2);
        assertThat(RETURNS.of(beyond.reservationId()))
                .containsExactly(returned(beyond, StockReturn.Action.BURN, "LEDGER_FULL"));
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(beyond.reservationId()))
                        .extracting(OrderEvent::status, OrderEvent::reason)
                        .containsExactly(tuple(OrderEvent.Status.REJECTED, "LEDGER_FULL")));
    }

    @ParameterizedTest
    @CsvSource({
        "1,    0, no sale",
        "PROD, 2, no sale of product PROD in shard 2",
    })
    void forged_reservation_is_parked_once_and_the_others_go_on(
            String named, int shard, String why) {
        String product = sale(5, 5);
        Reservation good = reservation(product, "alice", 0);
        Reservation forged = new Reservation(
                reservation(product, "eve", 0).reservationId(),
                named.replace("PROD", product),
                "eve",
                1,
                shard,
                1,
                1,
                1);

        handler.handle(List.of(forged, good));
        handler.handle(List.of(forged));

        assertThat(sql.queryForList(
                        "SELECT reason FROM parked_message WHERE message_id = ?",
                        String.class,
                        forged.reservationId()))
                .singleElement()
                .asString()
                .startsWith(why.replace("PROD", product));
        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertThat(sold(product)).isEqualTo(1);
        assertBooksBalance(product);
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .noneMatch(event -> event.reservationId().equals(forged.reservationId()));
    }

    @Test
    void reservation_of_more_than_a_user_may_have_is_rejected_and_its_units_return() {
        String product = sale(5);
        Reservation greedy = quantity(3, reservation(product, "eve", 0));
        Reservation good = reservation(product, "alice", 0);

        handler.handle(List.of(greedy, good));
        handler.handle(List.of(greedy));

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertBooksBalance(product);
        assertThat(RETURNS.of(greedy.reservationId()))
                .containsExactly(returned(greedy, StockReturn.Action.RETURN, "INVALID"));
        assertThat(parkedIds()).doesNotContain(greedy.reservationId());
    }

    private static Reservation quantity(int units, Reservation r) {
        return new Reservation(
                r.reservationId(),
                r.productId(),
                r.userId(),
                units,
                r.shard(),
                r.epoch(),
                r.seq(),
                r.reservedAtMs());
    }

    /** Whose unit survived which opening is not told by comparing two epochs. */
    @ParameterizedTest
    @CsvSource({"2, 1", "1, 3"})
    void reservation_of_another_epoch_than_the_ledger_s_becomes_an_order(int stamped, int ledgers) {
        String product = sale(5);
        setEpoch(product, ledgers);
        Reservation other = stamped(reservation(product, "alice", 0), stamped, 4);

        handler.handle(List.of(other));

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertThat(sql.queryForMap(
                        "SELECT epoch, seq FROM orders WHERE reservation_id = ?",
                        other.reservationId()))
                .isEqualTo(Map.of("epoch", stamped, "seq", 4L));
        assertThat(parkedIds()).doesNotContain(other.reservationId());
        assertBooksBalance(product);
    }

    @Test
    void highest_seq_of_a_shard_rises_and_never_falls() {
        String product = sale(5, 5);
        Reservation late = stamped(reservation(product, "alice", 0), 1, 7);
        Reservation early = stamped(reservation(product, "bob", 0), 1, 3);
        Reservation duplicate = stamped(reservation(product, "alice", 0), 1, 9);

        handler.handle(List.of(late));
        assertThat(lastSeqs(product)).containsExactly(7L, 0L);
        handler.handle(List.of(early));
        assertThat(lastSeqs(product)).containsExactly(7L, 0L);
        handler.handle(List.of(duplicate)); // rejected: its unit goes back, its seq was seen
        assertThat(lastSeqs(product)).containsExactly(9L, 0L);
        handler.handle(List.of(late, early, duplicate));
        assertThat(lastSeqs(product)).containsExactly(9L, 0L);
    }

    @Test
    void reservation_that_a_full_ledger_refused_has_met_it_too() {
        String product = sale(1);
        handler.handle(List.of(stamped(reservation(product, "alice", 0), 1, 4)));

        handler.handle(List.of(stamped(reservation(product, "bob", 0), 1, 6)));
        assertThat(lastSeqs(product)).containsExactly(6L);
        handler.handle(List.of(stamped(reservation(product, "carol", 0), 1, 5)));

        assertThat(lastSeqs(product)).containsExactly(6L);
        assertThat(count(product, "REJECTED")).isEqualTo(2);
        assertBooksBalance(product);
    }

    @Test
    void batches_at_once_in_another_order_leave_the_highest_seq_and_each_reservation_once()
            throws Exception {
        String product = sale(40, 40);
        List<Reservation> here = reservations(product, 20, 0);
        List<Reservation> there = reservations(product, 20, 1);
        List<Reservation> forwards =
                Stream.concat(here.stream(), there.stream()).toList();
        List<Reservation> backwards = new ArrayList<>(forwards);
        Collections.reverse(backwards);

        atOnce(List.of(
                handling(backwards.subList(0, 32)),
                handling(forwards.subList(0, 32)),
                handling(backwards.subList(32, 40)),
                handling(forwards.subList(32, 40))));

        assertThat(lastSeqs(product)).containsExactly(highestSeq(here), highestSeq(there));
        assertThat(sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE product_id = ?",
                        String.class,
                        product))
                .containsExactlyInAnyOrderElementsOf(
                        forwards.stream().map(Reservation::reservationId).toList());
        assertBooksBalance(product);
    }

    private static long highestSeq(List<Reservation> reservations) {
        return reservations.stream().mapToLong(Reservation::seq).max().orElseThrow();
    }

    @Test
    void return_carries_the_epoch_of_the_ledger_when_its_order_became_final() {
        String product = sale(5);
        handler.handle(List.of(reservation(product, "alice", 0)));
        Reservation duplicate = stamped(reservation(product, "alice", 0), 2, 9);
        setEpoch(product, 4);

        handler.handle(List.of(duplicate));

        assertBooksBalance(product);
        assertThat(RETURNS.of(duplicate.reservationId()))
                .extracting(StockReturn::epoch)
                .containsExactly(4);
    }

    private void setEpoch(String product, int epoch) {
        sql.update("UPDATE shard_ledger SET epoch = ? WHERE product_id = ?", epoch, product);
    }

    private List<Long> lastSeqs(String product) {
        return sql.queryForList(
                "SELECT last_seq FROM shard_ledger WHERE product_id = ? ORDER BY shard",
                Long.class,
                product);
    }

    private List<String> parkedIds() {
        return sql.queryForList("SELECT message_id FROM parked_message", String.class);
    }

    @Test
    void message_that_cannot_be_read_is_parked_whatever_its_size() {
        String huge = "'; DROP TABLE orders; -- \u0000 ${jndi:x} " + "\uD83D\uDE00".repeat(40_000);
        send(huge);

        await().atMost(Duration.ofSeconds(45))
                .until(() -> sql.queryForObject(
                                "SELECT COUNT(*) FROM parked_message WHERE body LIKE '\\'; DROP TABLE%'",
                                Long.class)
                        == 1);
    }

    @Test
    void every_reservation_of_a_mixed_batch_ends_in_exactly_one_counter() {
        String product = sale(2, 5);
        Metrics before = metrics();
        Reservation alice = reservation(product, "alice", 0);
        Reservation bob = reservation(product, "bob", 0);
        Reservation beyondTheLedger = reservation(product, "carol", 0);
        Reservation second = reservation(product, "alice", 1);
        Reservation forged = reservation(product, "eve", 7);

        handler.handle(List.of(alice, alice, bob, beyondTheLedger, second, forged));
        handler.handle(List.of(bob, forged, reservation(product, "dave", 1)));
        handler.park(Reservation.TOPIC, forged.reservationId() + "-2", "{", "unreadable");

        Metrics after = metrics();
        assertThat(after.objections()).isEmpty();
        assertThat(COUNTERS)
                .extracting(name -> after.sum(name) - before.sum(name))
                .containsExactly(10L, 3L, 2L, 2L, 3L, 0L, 0L);
        assertThat(count(product, "UNPAID")).isEqualTo(3);
        assertThat(count(product, "REJECTED")).isEqualTo(2);
        assertBooksBalance(product);
    }

    private Callable<Object> handling(List<Reservation> batch) {
        return () -> {
            handler.handle(batch);
            return null;
        };
    }

    private void send(String body) {
        assertThat(sender.send(Reservation.TOPIC, List.of(new MessageSender.Outgoing("key", body))))
                .isTrue();
    }

    private static StockReturn returned(Reservation r, StockReturn.Action action, String cause) {
        return new StockReturn(
                r.reservationId(),
                r.productId(),
                r.userId(),
                r.quantity(),
                r.shard(),
                r.epoch(),
                action,
                cause);
    }
}
