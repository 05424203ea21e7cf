package io.seckill.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.quantity.ReserveOutcome;
import io.seckill.quantity.ReturnOutcome;
import io.seckill.spec.Recovery.At;
import io.seckill.spec.ReturnRow.Outcome;
import io.seckill.testkit.RedisProcess;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The real scripts do what the model's do, in every state that its walks come to: each script of a
 * walk is run on a real Redis that is put into the state before it, and must give the same answer
 * and leave the same state.
 */
class ScriptsIT {

    private static final int WALKS = 300;

    private static final Set<At> SCRIPTS =
            EnumSet.of(At.OPEN_SOUND, At.BEGIN, At.PAGES, At.FINISH, At.OPEN_BUILT);

    /** What was answered: a word that never was has not been compared. */
    private final Map<String, String> recovered = new TreeMap<>();

    private final Set<ReserveOutcome.Word> reserved = EnumSet.noneOf(ReserveOutcome.Word.class);
    private final Set<ReturnOutcome.Word> returned = EnumSet.noneOf(ReturnOutcome.Word.class);

    private final Set<String> toppedUp = new TreeSet<>();
    private final Set<String> looked = new TreeSet<>();
    private final Set<Boolean> toldAgain = new HashSet<>();

    @Test
    void scripts_do_what_the_model_does() {
        Walks walks = new Walks(EnumSet.allOf(Rule.class));
        try (RedisProcess redis = new RedisProcess();
                RealShard real = new RealShard(redis, "518")) {
            for (long seed = 1; seed <= WALKS; seed++) {
                History walk = walks.walk(seed);
                World w = World.of(walk.bounds());
                for (Step step : walk.steps()) {
                    compare(real, w, step, "seed " + seed + ": " + step);
                    assertThat(step.happens(w)).isTrue();
                }
            }
        }
        assertThat(reserved)
                .contains(ReserveOutcome.Word.TAKEN, ReserveOutcome.Word.SOLD_OUT)
                .contains(ReserveOutcome.Word.GATED, ReserveOutcome.Word.NOT_LOADED)
                .contains(ReserveOutcome.Word.ALREADY_BOUGHT, ReserveOutcome.Word.GONE);
        assertThat(returned).containsExactlyInAnyOrder(ReturnOutcome.Word.values());
        assertThat(toppedUp).containsExactly("added", "there", "waits");
        assertThat(looked).containsExactly("", "[]", "lost");
        assertThat(toldAgain).hasSize(2);
        assertThat(recovered)
                .containsKeys("OPEN_SOUND true", "OPEN_SOUND false", "BEGIN true", "BEGIN false")
                .containsKeys("PAGES true", "PAGES false", "FINISH true", "OPEN_BUILT true");
    }

    private void compare(RealShard real, World w, Step step, String where) {
        switch (step.kind()) {
            case ASK -> reserve(real, w.redis(step), World.of(w.requests, step.id()), where);
            case GIVE_BACK ->
                giveBack(real, w, step.process(), World.of(w.returnTopic, step.id()), where);
            case ASK_AGAIN ->
                giveBack(real, w, step.process(), World.of(w.returns, step.id()).message(), where);
            case APPLY -> topUp(real, w, w.changes.get(Integer.parseInt(step.id())), where);
            case SCAN -> tellAgain(real, w, step, where);
            case LOOK ->
                w.shards.get(step.shard()).forEach(redis -> look(real, w, redis, step, where));
            case RECOVER_ON -> recover(real, w, World.of(w.recoverers, step.n()), where);
            default -> {}
        }
    }

    private void reserve(RealShard real, Redis before, Request r, String where) {
        Redis model = before.copy();
        boolean again = before.stock().isReserved(r.id());
        real.put(before);
        ReserveOutcome.Word word = real.reserve(r);
        reserved.add(word);
        assertThat(word == ReserveOutcome.Word.TAKEN && !again)
                .as("%s %s", where, word)
                .isEqualTo(model.reserve(r));
        assertSame(real, model, r.shard(), where);
    }

    /** As a return and as a burn. */
    private void giveBack(RealShard real, World w, int process, GiveBack asked, String where) {
        for (boolean burns : new boolean[] {false, true}) {
            Redis before = w.shards.get(asked.shard()).get(process);
            Redis model = before.copy();
            GiveBack r = new GiveBack(asked.id(), asked.shard(), asked.epoch(), burns);
            real.put(before);
            ReturnOutcome.Word word = real.giveBack(r);
            returned.add(word);
            assertThat(outcome(word)).as(where).isEqualTo(model.giveBack(r));
            assertSame(real, model, r.shard(), where);
        }
    }

    /** Changes of a shard come in their order there; the model has them in any. */
    private void topUp(RealShard real, World w, Change change, String where) {
        Redis before = w.redis(change.shard());
        if (before.stock().changes.higher(change.number()) != null) {
            return;
        }
        Redis model = before.copy();
        real.put(before);
        boolean isDone = real.topUp(change);
        assertThat(isDone).as(where).isEqualTo(model.add(change));
        assertSame(real, model, change.shard(), where);
        boolean isNew = model.stock().init != before.stock().init;
        toppedUp.add(isNew ? "added" : isDone ? "there" : "waits");
    }

    /** In this epoch, and in one that the shard does not have. */
    private void tellAgain(RealShard real, World w, Step step, String where) {
        Redis before = w.redis(step);
        World model = w.copy();
        Reconciling.rewrite(
                model, Job.of(Job.What.REWRITE, step.shard(), step.process(), step.id()));
        real.put(before);
        boolean isTold = real.tellAgain(before.stock().epoch, step.id());
        assertThat(isTold)
                .as(where)
                .isEqualTo(model.redis(step).stock().outbox.size()
                        > before.stock().outbox.size());
        assertSame(real, model.redis(step), step.shard(), where);
        toldAgain.add(isTold);
        real.put(before);
        assertThat(real.tellAgain(before.stock().epoch + 1, step.id()))
                .as(where)
                .isFalse();
        assertSame(real, before, step.shard(), where);
    }

    private void look(RealShard real, World w, Redis redis, Step step, String where) {
        Stock stock = redis.stock();
        real.put(redis);
        String held = redis.isOpen()
                ? stock.epoch + " " + stock.init + " "
                        + ids(stock.reserved().stream().map(Kept::taken))
                : "";
        assertThat(real.held()).as(where).isEqualTo(held);
        List<Taken> live = w.live(step.shard()).stream().map(Order::taken).toList();
        if (!live.isEmpty()) {
            String unheld = redis.isOpen()
                    ? ids(live.stream().filter(taken -> !stock.isReserved(taken.id())))
                    : "";
            List<String> asked = live.stream().map(Taken::id).toList();
            assertThat(real.unheld(stock.epoch, asked)).as(where).isEqualTo(unheld);
            looked.add(unheld.length() > 2 ? "lost" : unheld);
        }
    }

    private static String ids(Stream<Taken> those) {
        return those.map(Taken::id).sorted().toList().toString();
    }

    /** By the one that saw this Redis, and by one that saw another. */
    private void recover(RealShard real, World w, Recovery r, String where) {
        if (!SCRIPTS.contains(r.at)) {
            return;
        }
        w.shards.get(r.shard).stream().filter(before -> isOfItsEpoch(before, r)).forEach(before -> {
            assertThat(real.recoverAnother(before, r)).as(where).isFalse();
            assertSame(real, before, r.shard, where);
            if (before.identity == r.identity) {
                recoverThis(real, before, r, where);
            }
        });
    }

    private void recoverThis(RealShard real, Redis before, Recovery r, String where) {
        Redis model = before.copy();
        recovered.put(r.at + " " + real.recover(before, r), where);
        switch (r.at) {
            case OPEN_SOUND -> model.openSound(r);
            case BEGIN -> model.beginRebuild(r);
            case PAGES -> model.putPage(r, r.live.get(r.page));
            case FINISH -> model.finishRebuild(r);
            default -> model.openBuilt(r);
        }
        assertSame(real, model, r.shard, where);
    }

    /**
     * What a rebuild finds of another epoch when it comes to open is not for the script to judge.
     */
    private static boolean isOfItsEpoch(Redis before, Recovery r) {
        return r.at != At.OPEN_BUILT || before.stock().epoch == r.epoch;
    }

    private static Outcome outcome(ReturnOutcome.Word word) {
        return switch (word) {
            case GATED, NOT_LOADED, NEWER -> Outcome.WAITING;
            default -> Outcome.valueOf(word.name());
        };
    }

    private static void assertSame(RealShard real, Redis model, int shard, String where) {
        Stock expected = RealShard.kept(model.stock());
        assertThat(real.get(model, shard)).as(where).hasToString(expected.toString());
    }
}
