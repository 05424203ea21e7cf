package io.seckill.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Loop;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.spec.Order.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * The real transactions do what the model's do, in every state that its walks come to: the tables
 * are put into the state before a delivery or a closing, the service does it, and must leave what
 * the model leaves and tell what follows from it. A second delivery of the same must change
 * nothing; two in one batch conflict, which takes the careful way. A full ledger, and a buyer who
 * has an order while the shard was opened since, are made: walks seldom come to them.
 */
class OrderHistoriesIT extends RealService {

    private static final int WALKS = 120;
    private static final String PRODUCT = "5180001";
    private static final int LATE = 1_000_000; // a seq that no walk comes to

    /** What came out of it: a word that never was has not been compared. */
    private final Set<Status> seen = EnumSet.noneOf(Status.class);

    @Autowired
    @Qualifier("unpaidLoop")
    Loop sweep;

    private RealTables tables;

    @BeforeEach
    void begin(@Autowired DataSource database) {
        setLimit("100000");
        tables = new RealTables(database, PRODUCT);
    }

    @AfterEach
    void end() {
        setLimit("500");
    }

    @Test
    void transactions_do_what_the_model_does() {
        Walks walks = new Walks(EnumSet.allOf(Rule.class));
        for (long seed = 1; seed <= WALKS; seed++) {
            History walk = walks.walk(seed);
            World w = World.of(walk.bounds());
            for (Step step : walk.steps()) {
                compare(w, step, "seed " + seed + ": " + step);
                assertThat(step.happens(w)).isTrue();
            }
        }
        assertThat(seen).isEqualTo(EnumSet.allOf(Status.class));
    }

    private void compare(World before, Step step, String where) {
        switch (step.kind()) {
            case DELIVER -> deliver(before, step, where);
            case CLOSE -> close(before, step, where);
            default -> {}
        }
    }

    private void deliver(World before, Step step, String where) {
        Taken taken = World.of(before.topic, step.id());
        int copies = taken.seq() % 2 + 1;
        List<Reservation> messages = Collections.nCopies(copies, message(before, taken));
        becomes(before, step, where, () -> handler.handle(messages));
        becomes(after(before, step), step, where + ", again", () -> handler.handle(messages));
        seen.add(World.of(after(before, step).orders, taken.id()).status());
        World rare = taken.seq() % 3 == 0 ? full(before, taken) : heldAndOpened(before, taken);
        becomes(rare, step, where + ", rare", () -> handler.handle(messages));
        seen.add(World.of(after(rare, step).orders, taken.id()).status());
    }

    private static World full(World before, Taken taken) {
        World w = before.copy();
        w.ledger(taken.shard()).allocated = w.ledger(taken.shard()).sold;
        return w;
    }

    /** Its buyer has another order, and its shard was opened as it was since. */
    private static World heldAndOpened(World before, Taken taken) {
        World w = before.copy();
        Ledger ledger = w.ledger(taken.shard());
        Taken other = new Taken("other", taken.user(), 1, taken.shard(), 1, LATE);
        w.orders.values().removeIf(o -> o.isLive() && o.taken().user().equals(taken.user()));
        w.orders.put(other.id(), new Order(other, Status.LIVE, 0));
        ledger.allocated++;
        ledger.sold++;
        ledger.begin(LATE);
        return w;
    }

    private void close(World before, Step step, String where) {
        String id = RealTables.hex(step.id());
        becomes(before, step, where, () -> {
            sql.update("UPDATE orders SET pay_by_ms = 1 WHERE reservation_id = ?", id);
            sweep.nudge();
            await().pollInterval(Duration.ofMillis(2))
                    .until(() -> count(PRODUCT, "CANCELLED")
                            > before.orders.values().stream()
                                    .filter(order -> order.status() == Status.CANCELLED)
                                    .count());
        });
        seen.add(Status.CANCELLED);
    }

    /** A model that is already after the step stays as it is. */
    private static World after(World before, Step step) {
        World model = before.copy();
        model.returnTopic.clear();
        step.happens(model);
        return model;
    }

    private void becomes(World before, Step step, String where, Runnable done) {
        World model = after(before, step);
        tables.put(before);
        Long mark = sql.queryForObject("SELECT COALESCE(MAX(id), 0) FROM outbox_log", Long.class);
        done.run();
        assertThat(tables.texts(before)).as(where).isEqualTo(RealTables.of(model));
        assertThat(givenBack(mark)).as(where).isEqualTo(model.returnTopic.keySet());
        assertThat(told(mark))
                .as(where)
                .containsOnly(model.orders.values().stream()
                        .filter(order -> step.id().startsWith(order.taken().id()))
                        .map(OrderHistoriesIT::event)
                        .toArray(String[]::new));
    }

    private static Reservation message(World w, Taken t) {
        return new Reservation(
                RealTables.hex(t.id()),
                PRODUCT,
                t.user(),
                RealTables.quantity(w, t),
                t.shard(),
                t.epoch(),
                t.seq(),
                System.currentTimeMillis());
    }

    private static String event(Order order) {
        String word = switch (order.status()) {
            case LIVE -> "ORDERED";
            case CANCELLED -> "CANCELLED";
            case REJECTED, FULL, LOST -> "REJECTED";
        };
        return order.taken().id() + " " + word;
    }

    private Set<String> told(Long after) {
        Set<String> to = new TreeSet<>();
        bodies(after, OrderEvent.TOPIC).forEach(body -> {
            OrderEvent event = Json.read(body, OrderEvent.class);
            to.add(RealTables.text(event.reservationId()) + " " + event.status());
        });
        return to;
    }

    private Set<String> givenBack(Long after) {
        Set<String> to = new TreeSet<>();
        bodies(after, StockReturn.TOPIC).forEach(body -> {
            StockReturn r = Json.read(body, StockReturn.class);
            boolean burns = r.action() == StockReturn.Action.BURN;
            to.add(new GiveBack(RealTables.text(r.reservationId()), r.shard(), r.epoch(), burns)
                    .key());
        });
        return to;
    }

    private List<String> bodies(Long after, String topic) {
        return sql.queryForList(
                "SELECT body FROM outbox_log WHERE id > ? AND topic = ?",
                String.class,
                after,
                topic);
    }
}
