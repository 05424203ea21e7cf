package io.seckill.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.spec.Recovery.At;
import io.seckill.spec.ReturnRow.Outcome;
import io.seckill.stock.Stock;
import io.seckill.stock.recovery.Retirement;
import io.seckill.stock.returns.ReturnService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The real recovery and the real returns do what the model's do, in every state that its walks come
 * to: shard and tables are put into the state before, the service goes to one of its crash points
 * and no further, and shard and tables must be what the model's are there. Then the service begins
 * anew, as after a crash, and must end as the model does. So do top-ups and a shard's retirement.
 */
class StockHistoriesIT {

    private static final int WALKS = 150;
    private static final int EACH = 20; // crashes at least
    private static final int SELDOM = 10; // a walk gives up a shard once
    private static final int BURNS = 5; // one of so many returns
    private static final int RETIRED = 7;
    private static final int CUT_OFF_MAX = 10; // by a shard that is silent for a moment
    private static final String PRODUCT = "5180002";
    private static final int RECOVERER = 9; // none of the walk's own

    /** The step of the model that comes next there. */
    private static final Map<CrashPoint, At> RECOVERING = new EnumMap<>(Map.of(
            CrashPoint.RECOVERY_CLOSED, At.READ,
            CrashPoint.RECOVERY_DECIDING, At.READ,
            CrashPoint.RECOVERY_DECIDED, At.OPEN_SOUND,
            CrashPoint.RECOVERY_GATE_OPEN, At.END,
            CrashPoint.REBUILD_BEGUN, At.PAGES,
            CrashPoint.REBUILD_PAGE_SENT, At.FINISH,
            CrashPoint.REBUILD_FILLED, At.FINISH,
            CrashPoint.REBUILD_ENDED, At.LEDGER_OPEN,
            CrashPoint.REBUILD_LEDGER_OPEN, At.OPEN_BUILT,
            CrashPoint.REBUILD_GATE_OPEN, At.END));

    private final Stock stock = Stock.running();
    private final Map<CrashPoint, Integer> crashes = new EnumMap<>(CrashPoint.class);
    private final Set<Outcome> returned = EnumSet.noneOf(Outcome.class);
    private int turns;

    private static final class Crash extends Error {}

    @BeforeEach
    @AfterEach
    void forget() {
        stock.forgetSales();
    }

    @Test
    void recovery_and_returns_do_what_the_model_does() {
        stock.withoutRecovery(
                () -> stock.without("changeLoop", () -> stock.without("returnLoop", this::play)));
        assertThat(crashes.keySet())
                .containsAll(RECOVERING.keySet())
                .contains(CrashPoint.RETURN_ANSWERED, CrashPoint.RETURN_WRITTEN)
                .contains(CrashPoint.RETIREMENT_MOVING, CrashPoint.RETIREMENT_MOVED)
                .contains(CrashPoint.CHANGE_TOPPED_UP);
        assertThat(crashes)
                .allSatisfy((point, times) -> assertThat(times)
                        .as("%s", point)
                        .isGreaterThanOrEqualTo(
                                point.title().startsWith("retire") ? SELDOM : EACH));
        assertThat(returned).isEqualTo(EnumSet.complementOf(EnumSet.of(Outcome.LOST)));
    }

    private void play() {
        RealTables tables = new RealTables(stock.bean(javax.sql.DataSource.class), PRODUCT);
        List<RealShard> shards = stock.shards.stream()
                .map(redis -> new RealShard(redis, PRODUCT))
                .toList();
        Walks walks = new Walks(EnumSet.allOf(Rule.class));
        try {
            for (long seed = 1; seed <= WALKS; seed++) {
                History walk = walks.walk(seed);
                World w = World.of(walk.bounds());
                for (Step step : walk.steps()) {
                    Play play = new Play(
                            tables, shards.get(step.shard()), "seed " + seed + ": " + step);
                    switch (step.kind()) {
                        case RECOVER -> play.recover(w, step);
                        case GIVE_BACK -> play.giveBack(w, step);
                        case RETIRE, RETIRE_AGAIN -> play.retire(w, step);
                        case APPLY -> play.bringUnits(w, shards);
                        default -> {}
                    }
                    assertThat(step.happens(w)).isTrue();
                }
            }
        } finally {
            shards.forEach(RealShard::close);
        }
    }

    /** One step on the real parts. */
    private final class Play {

        private final RealTables tables;
        private final RealShard shard;
        private final String where;

        Play(RealTables tables, RealShard shard, String where) {
            this.tables = tables;
            this.shard = shard;
            this.where = where;
        }

        void recover(World w, Step step) {
            put(w, step);
            tables.run( // the others are not looked at
                    "UPDATE shard_ledger SET loaded_at_ms = NULL WHERE product_id = ? AND shard <> ?",
                    PRODUCT,
                    step.shard());
            World model = w.copy();
            CrashPoint wanted = rarest(w, step);
            CrashPoint end = recoverUntil(wanted);
            follow(model, step, World.of(RECOVERING, end));
            compare(model, step, where + " until " + end);
            for (int more = 0; more < CUT_OFF_MAX && isUnfinished(end); more++) {
                String before = where + " again after " + end;
                end = recoverUntil(null);
                follow(model, step, World.of(RECOVERING, end));
                compare(model, step, before + " until " + end);
            }
            assertThat(isUnfinished(end)).as(where).isFalse();
        }

        private static boolean isUnfinished(CrashPoint end) {
            return World.of(RECOVERING, end) != At.END;
        }

        /** Of the points that a recovery will pass here the one with the fewest crashes so far. */
        private CrashPoint rarest(World w, Step step) {
            World model = w.copy();
            follow(model, step, At.END);
            Ledger ledger = model.ledger(step.shard());
            boolean sound = ledger.openings.get(ledger.openings.size() - 1).keptSeq() >= 0;
            return RECOVERING.keySet().stream()
                    .filter(point -> point.title().startsWith("rebuild")
                            ? !sound
                            : point != CrashPoint.RECOVERY_GATE_OPEN || sound)
                    .filter(point -> point != CrashPoint.REBUILD_PAGE_SENT
                            || !w.live(step.shard()).isEmpty())
                    .min(Comparator.comparing(point -> crashes.getOrDefault(point, 0)))
                    .orElseThrow();
        }

        /** As often as it waits for what was handed over; the last point it came to. */
        private CrashPoint recoverUntil(@Nullable CrashPoint wanted) {
            List<CrashPoint> reached = new ArrayList<>();
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> {
                        reached.clear();
                        crash(
                                wanted,
                                stock.bean(io.seckill.stock.recovery.Recovery.class)::turn,
                                reached);
                        return !reached.contains(CrashPoint.RECOVERY_DRAINING);
                    });
            assertThat(reached).as(where).isNotEmpty();
            return reached.get(reached.size() - 1);
        }

        /** The service closes by hand first what it is about to read. */
        private void follow(World model, Step step, At end) {
            Redis redis = model.redis(step);
            redis.edit().openFor = 0;
            io.seckill.spec.Recovery r = new io.seckill.spec.Recovery(step.shard(), redis.identity);
            model.recoverers.put(RECOVERER, r);
            Step next = new Step(Kind.RECOVER_ON, step.shard(), 0, "", RECOVERER);
            while (model.recoverers.containsKey(RECOVERER) && r.at.compareTo(end) < 0) {
                Recovering.step(model, next);
            }
            model.recoverers.remove(RECOVERER);
        }

        /**
         * Crashes after the shard's word or the row. Burns and retired shards, which walks seldom have,
         * are made.
         */
        void giveBack(World before, Step step) {
            World w = before.copy();
            GiveBack sent = World.of(w.returnTopic, step.id());
            boolean burns = sent.burns() || turns % BURNS == 0;
            GiveBack asked = new GiveBack(sent.id(), sent.shard(), sent.epoch(), burns);
            w.returnTopic.put(step.id(), asked);
            if (turns % RETIRED == 0) {
                w.ledger(step.shard()).state = Ledger.State.RETIRED;
            }
            put(w, step);
            World model = w.copy();
            model.jobs.clear();
            List<CrashPoint> reached = new ArrayList<>();
            CrashPoint wanted =
                    turns++ % 2 == 0 ? CrashPoint.RETURN_ANSWERED : CrashPoint.RETURN_WRITTEN;
            StockReturn message = message(w, asked);
            Runnable delivery = () -> stock.bean(ReturnService.class).settle(List.of(message));
            crash(wanted, delivery, reached);
            Returning.giveBack(model, step);
            if (wanted == CrashPoint.RETURN_ANSWERED && reached.contains(wanted)) {
                model.jobs.clear();
            }
            finishJobs(model);
            askAgain(model);
            compare(model, step, where + " until " + reached);
            delivery.run();
            if (model.returnTopic.containsKey(step.id())) {
                Returning.giveBack(model, step);
                finishJobs(model);
            }
            askAgain(model);
            compare(model, step, where + " again after " + reached);
            ReturnRow row = model.returns.get(asked.id());
            if (row != null) {
                returned.add(row.outcome());
            }
        }

        /** As the loop does where a shard was silent for a moment. */
        private void askAgain(World model) {
            for (int i = 0;
                    i < CUT_OFF_MAX && !tables.texts(model).equals(RealTables.of(model));
                    i++) {
                stock.bean(ReturnService.class).retry();
                LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            }
        }

        /** Crashes in the one transaction of it, which is then not there, and after it. */
        void retire(World w, Step step) {
            put(w, step);
            Runnable work = step.kind() == Kind.RETIRE
                    ? () -> retirement().retire(step.shard())
                    : () -> retirement().turn();
            crash(CrashPoint.RETIREMENT_MOVING, work, new ArrayList<>());
            assertThat(tables.texts(w)).as(where).isEqualTo(RealTables.of(w));
            World model = w.copy();
            step.kind().action.run(model, step);
            crash(CrashPoint.RETIREMENT_MOVED, work, new ArrayList<>());
            assertThat(tables.texts(model)).as(where).isEqualTo(RealTables.of(model));
        }

        /** Crashes between the first shard's word and its row. */
        void bringUnits(World w, List<RealShard> shards) {
            if (!isAsTheCodeBringsThem(w)) {
                return;
            }
            tables.put(w);
            for (int n = 0; n < w.ledgers.size(); n++) {
                shards.get(n).put(w.redis(n));
            }
            World model = w.copy();
            List<CrashPoint> reached = new ArrayList<>();
            crash(CrashPoint.CHANGE_TOPPED_UP, retirement()::turn, reached);
            bringUnits(model, reached.isEmpty() ? Integer.MAX_VALUE : 1);
            compare(model, shards, where + " until " + reached);
            retirement().turn();
            bringUnits(model, Integer.MAX_VALUE);
            compare(model, shards, where + " again after " + reached);
        }

        /** Those of a shard in their order, and no others are about to come. */
        private boolean isAsTheCodeBringsThem(World w) {
            return w.ledgers.stream()
                            .noneMatch(l -> l.is(Ledger.State.RETIRED) && l.allocated > l.sold)
                    && w.changes.stream()
                            .filter(c -> !c.done())
                            .allMatch(c ->
                                    w.redis(c.shard()).stock().changes.higher(c.number()) == null);
        }

        /** One that waits keeps those behind it; after {@code crash} of them a row is missing. */
        private void bringUnits(World model, int crash) {
            for (int shard = 0; shard < model.ledgers.size(); shard++) {
                boolean waits = false;
                for (Change c : List.copyOf(model.changes)) {
                    if (c.shard() != shard || c.done() || waits) {
                        continue;
                    }
                    waits = !model.ledger(shard).is(Ledger.State.RETIRED)
                            && !model.redis(shard).add(c);
                    if (!waits && --crash == 0) {
                        return;
                    }
                    if (!waits) {
                        model.changes.set(c.number(), c.asDone());
                    }
                }
            }
            closeRetired(model);
        }

        private void closeRetired(World model) {
            for (int shard = 0; shard < model.ledgers.size(); shard++) {
                Redis redis = model.redis(shard);
                if (model.ledger(shard).is(Ledger.State.RETIRED)
                        && redis.stock().openFor == redis.identity) {
                    redis.edit().openFor = 0;
                }
            }
        }

        private Retirement retirement() {
            return stock.bean(Retirement.class);
        }

        private void compare(World model, List<RealShard> shards, String when) {
            for (int n = 0; n < model.ledgers.size(); n++) {
                RealShard real = shards.get(n);
                Redis redis = model.redis(n);
                assertThat(real.get(redis, n))
                        .as(when)
                        .hasToString(RealShard.kept(redis.stock()).toString());
            }
            assertThat(tables.texts(model)).as(when).isEqualTo(RealTables.of(model));
        }

        private void finishJobs(World model) {
            Set.copyOf(model.jobs.keySet())
                    .forEach(job -> Jobs.run(model, new Step(Kind.FINISH_JOB, 0, 0, job, 0)));
        }

        private void put(World w, Step step) {
            tables.put(w);
            shard.put(w.redis(step));
        }

        /** What was sent to the shard last may still be under way. */
        private void compare(World model, Step step, String when) {
            assertThat(tables.texts(model)).as(when).isEqualTo(RealTables.of(model));
            Redis redis = model.redis(step);
            io.seckill.spec.Stock expected = expected(redis);
            await().atMost(Duration.ofSeconds(2))
                    .pollInterval(Duration.ofMillis(2))
                    .untilAsserted(() -> assertThat(shard.get(redis, step.shard()))
                            .as(when)
                            .hasToString(expected.toString()));
        }

        private io.seckill.spec.Stock expected(Redis model) {
            return RealShard.kept(model.stock());
        }
    }

    private void crash(@Nullable CrashPoint wanted, Runnable work, List<CrashPoint> reached) {
        CrashPoint.onReach((point, productId) -> {
            reached.add(point);
            if (point == wanted) {
                throw new Crash();
            }
        });
        try {
            work.run();
        } catch (Crash e) {
            crashes.merge(reached.get(reached.size() - 1), 1, Integer::sum);
        } finally {
            CrashPoint.onReach(null);
        }
    }

    private static StockReturn message(World w, GiveBack r) {
        Taken taken = World.of(w.orders, r.id()).taken();
        return new StockReturn(
                RealTables.hex(r.id()),
                PRODUCT,
                taken.user(),
                RealTables.quantity(w, taken),
                r.shard(),
                r.epoch(),
                r.burns() ? Action.BURN : Action.RETURN,
                "test");
    }
}
