package io.seckill.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import io.seckill.spec.ReturnRow.Outcome;
import io.seckill.stock.Stock;
import io.seckill.stock.reconcile.FreshReconciler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/**
 * The real reconciler does what the model's does, in every state in which its walks look, scan or
 * owe: all shards and tables are put into that state, everything in them long ago, and what a turn
 * leaves must be what all steps of the model leave. In half of the states the service crashes at
 * each repair and begins anew: what a crash leaves must be what one step leaves.
 */
class ReconcilerHistoriesIT {

    private static final int WALKS = 300;
    private static final int EACH = 5; // repairs at least
    private static final String PRODUCT = "5180003";
    private static final Set<Kind> STEPS = EnumSet.of(Kind.SCAN, Kind.LOOK, Kind.OWE);

    /** What the reconciler does about a state. */
    private enum Repair {
        REWRITTEN,
        RETURN_MADE,
        RETURN_AGAIN,
        RETURN_OWED,
        LOSS_FOUND,
        UNITS_DIFFER
    }

    private static final class Crash extends Error {}

    private final Stock stock = Stock.running();
    private final Map<Repair, Integer> repairs = new EnumMap<>(Repair.class);
    private final List<RealShard> shards =
            stock.shards.stream().map(redis -> new RealShard(redis, PRODUCT)).toList();
    private final Shards patient = new Shards(IntStream.range(0, stock.shards.size())
            .mapToObj(i -> new Shard(
                    i, RedisEndpoint.of("test", stock.shards.get(i).uri()), Duration.ofSeconds(5)))
            .toList());
    private final QuantityStocks stocks = new QuantityStocks(patient);
    private int crashed;
    private int plays;

    @BeforeEach
    void begin() {
        stock.forgetSales();
        try (Jedis control = stock.control.connect()) { // order-service has come to everything
            control.set(RedisKeys.BACKLOG, "{\"estimatedWaitMs\":0,\"atMs\":1}");
        }
    }

    @AfterEach
    void forget() {
        shards.forEach(RealShard::close);
        patient.close();
        stock.forgetSales();
    }

    @Test
    void reconciler_does_what_the_model_does() {
        long unexplained = unexplained();
        stock.withoutRecovery(
                () -> stock.without("changeLoop", () -> stock.without("returnLoop", this::play)));
        assertThat(unexplained()).isEqualTo(unexplained);
        assertThat(repairs.keySet()).isEqualTo(EnumSet.allOf(Repair.class));
        assertThat(repairs.values()).allMatch(times -> times >= EACH, "of %s".formatted(repairs));
        assertThat(crashed).isGreaterThanOrEqualTo(EACH);
    }

    private long unexplained() {
        return stock.metrics().sum("seckill_unexplained_total");
    }

    private void play() {
        RealTables tables = new RealTables(stock.bean(javax.sql.DataSource.class), PRODUCT);
        Walks walks = new Walks(EnumSet.allOf(Rule.class));
        for (long seed = 1; seed <= WALKS; seed++) {
            History walk = walks.walk(seed);
            World w = World.of(walk.bounds());
            for (Step step : walk.steps()) {
                if (STEPS.contains(step.kind())) {
                    World seen = seen(w, step);
                    Rare rare = Rare.values()[plays % Rare.values().length];
                    rare.make(seen);
                    String where = "seed %d: %s, %s".formatted(seed, step, rare);
                    new Play(tables, seen, where).play();
                }
                assertThat(step.happens(w)).isTrue();
            }
        }
    }

    /** By a reconciler whose only process of that shard is the step's; what others began is not. */
    private static World seen(World w, Step step) {
        World to = w.copy();
        to.jobs.clear();
        to.shards.get(step.shard()).set(0, w.redis(step).copy());
        to.shards.forEach(processes -> processes.subList(1, processes.size()).clear());
        return to;
    }

    /** What walks seldom come to is made. */
    private enum Rare {
        NOTHING,
        RETURNS_LOST,
        RESERVATIONS_LOST,
        UNITS_LOST,
        BURNS_OWED;

        void make(World w) {
            switch (this) {
                case NOTHING -> {}
                case RETURNS_LOST ->
                    owed(w).forEach(order -> w.returns.put(order.taken().id(), done(order)));
                case RESERVATIONS_LOST ->
                    w.live().stream()
                            .map(Order::taken)
                            .forEach(t -> w.redis(t.shard()).edit().reservations.remove(t.id()));
                case UNITS_LOST -> w.ledgers.forEach(ledger -> ledger.allocated++);
                case BURNS_OWED ->
                    owed(w).forEach(order -> w.orders.put(order.taken().id(), full(order)));
            }
        }

        private static List<Order> owed(World w) {
            return w.orders.values().stream()
                    .filter(Order::owesReturn)
                    .filter(order -> !w.returns.containsKey(order.taken().id()))
                    .toList();
        }

        private static ReturnRow done(Order order) {
            GiveBack r = order.giveBack();
            return new ReturnRow(r, r.burns() ? Outcome.BURNED : Outcome.RETURNED, r.epoch());
        }

        private static Order full(Order order) {
            return new Order(order.taken(), Order.Status.FULL, order.finalEpoch());
        }
    }

    /** From one state. */
    private final class Play {

        private final RealTables tables;
        private final World model;
        private final String where;

        Play(RealTables tables, World model, String where) {
            this.tables = tables;
            this.model = model;
            this.where = where;
        }

        void play() {
            put();
            boolean crashes = plays++ / Rare.values().length % 2 > 0; // with each of the rare
            while (turnCrashes(crashes)) {
                take(found());
            }
            all();
            assertThat(found()).as(where).isEqualTo(facts(model));
        }

        private void put() {
            tables.put(model);
            for (int n = 0; n < model.ledgers.size(); n++) {
                shards.get(n).put(model.redis(n));
            }
        }

        /** A shard's reservations first: its page is read before its ledger is suspected. */
        private void all() {
            STEPS.forEach(kind -> kind.in(model).forEach(this::take));
        }

        /** The one step that leaves what a crash left. */
        private void take(List<String> found) {
            assertThat(found).as(where).isNotEqualTo(facts(model));
            take(STEPS.stream()
                    .flatMap(kind -> kind.in(model).stream())
                    .filter(step -> facts(after(step)).equals(found))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(where + ": no step leaves " + found)));
        }

        private World after(Step step) {
            World to = model.copy();
            run(to, step);
            return to;
        }

        private void take(Step step) {
            Repair repair = repair(step);
            List<String> before = facts(model);
            run(model, step);
            if (!facts(model).equals(before)) {
                repairs.merge(repair, 1, Integer::sum);
            }
        }

        private Repair repair(Step step) {
            ReturnRow row = model.returns.get(step.id());
            return switch (step.kind()) {
                case LOOK ->
                    model.redis(step).stock().init == model.ledger(step.shard()).allocated
                            ? Repair.LOSS_FOUND
                            : Repair.UNITS_DIFFER;
                case OWE -> Repair.RETURN_OWED;
                default ->
                    !model.orders.containsKey(step.id())
                            ? Repair.REWRITTEN
                            : row == null ? Repair.RETURN_MADE : Repair.RETURN_AGAIN;
            };
        }

        private List<String> found() {
            return facts(
                    tables.texts(model),
                    IntStream.range(0, model.ledgers.size())
                            .mapToObj(n -> shards.get(n).get(model.redis(n), n))
                            .toList());
        }
    }

    /** With all that it begins. */
    private static void run(World w, Step step) {
        step.kind().action.run(w, step);
        Set.copyOf(w.jobs.keySet())
                .forEach(job -> Jobs.run(w, new Step(Kind.FINISH_JOB, 0, 0, job, 0)));
    }

    private static List<String> facts(World model) {
        return facts(
                RealTables.of(model),
                IntStream.range(0, model.ledgers.size())
                        .mapToObj(n -> RealShard.kept(model.redis(n).stock()))
                        .toList());
    }

    /** Each outbox entry for itself: which of two is written first has no meaning. */
    private static List<String> facts(
            Map<String, String> rows, List<io.seckill.spec.Stock> stocks) {
        List<String> to = new ArrayList<>();
        rows.forEach((what, row) -> to.add(what + ": " + row));
        for (io.seckill.spec.Stock each : stocks) {
            io.seckill.spec.Stock rest = new io.seckill.spec.Stock(each);
            rest.outbox.clear();
            to.add("stock " + rest);
            each.outbox.forEach(entry -> to.add("waits " + entry));
        }
        Collections.sort(to);
        return to;
    }

    /** One turn is a round: there is less here than a page. */
    private boolean turnCrashes(boolean crashes) {
        CrashPoint.onReach((point, productId) -> {
            if (crashes) {
                throw new Crash();
            }
        });
        try {
            FreshReconciler.of(stock, stocks).turn();
            return false;
        } catch (Crash e) {
            crashed++;
            return true;
        } finally {
            CrashPoint.onReach(null);
        }
    }
}
