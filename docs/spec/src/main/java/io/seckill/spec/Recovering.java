package io.seckill.spec;

import io.seckill.spec.Ledger.State;
import io.seckill.spec.Recovery.At;
import io.seckill.spec.ReturnRow.Outcome;

import java.util.List;
import java.util.Optional;

/** stock-service takes a shard back: each step is one script or one transaction. */
final class Recovering {

    private Recovering() {}

    static boolean needed(World w, int shard, Redis redis) {
        Ledger ledger = w.ledger(shard);
        return !ledger.is(State.RETIRED)
                && (!redis.isVerified()
                        || !ledger.is(State.OPEN)
                        || (w.has(Rule.EPOCHS_DIFFER) && redis.stock().epoch != ledger.epoch));
    }

    static void starts(Choices to) {
        World w = to.world;
        for (int k = 0; k < w.bounds.recoverers(); k++) {
            for (int shard = 0; shard < to.shards(); shard++) {
                for (int p = 0; p < w.shards.get(shard).size(); p++) {
                    if (!w.recoverers.containsKey(k)
                            && needed(w, shard, w.shards.get(shard).get(p))) {
                        to.add(shard, p, "", k);
                    }
                }
            }
        }
    }

    static void start(World w, Step s) {
        w.recoverers.put(s.n(), new Recovery(s.shard(), w.redis(s).identity));
    }

    static void running(Choices to) {
        to.world.recoverers.forEach((k, r) -> to.add(r.shard, 0, "", k));
    }

    static void crashes(Choices to) {
        if (to.world.bounds.repeats() || to.world.faults < to.world.bounds.faults()) {
            running(to);
        }
    }

    static void crash(World w, Step s) {
        w.recoverers.remove(s.n());
        if (!w.bounds.repeats()) {
            w.fault();
        }
    }

    static void step(World w, Step s) {
        Recovery r = World.of(w.recoverers, s.n());
        Optional<Redis> redis = w.shards.get(r.shard).stream()
                .filter(p -> !w.has(Rule.SAME_IDENTITY) || p.identity == r.identity)
                .findFirst();
        r.at = redis.map(p -> step(w, r, p)).orElse(At.END);
        if (r.at == At.END) {
            w.recoverers.remove(s.n());
        }
    }

    private static At step(World w, Recovery r, Redis redis) {
        Ledger ledger = w.ledger(r.shard);
        return switch (r.at) {
            case READ -> read(w, r, redis);
            case DECIDE -> decide(w, r, ledger);
            case OPEN_SOUND -> end(() -> redis.openSound(r));
            case BEGIN -> begin(w, r, redis);
            case PAGES ->
                !redis.putPage(r, r.live.get(r.page++))
                        ? At.END
                        : r.page < r.live.size() ? At.PAGES : At.FINISH;
            case FINISH -> redis.finishRebuild(r) ? At.LEDGER_OPEN : At.END;
            case LEDGER_OPEN -> openLedger(w, r, ledger);
            case OPEN_BUILT, END -> end(() -> redis.openBuilt(r));
        };
    }

    private static At end(Runnable last) {
        last.run();
        return At.END;
    }

    private static At read(World w, Recovery r, Redis redis) {
        r.seen = redis.stock();
        r.live = live(w, r);
        return At.DECIDE;
    }

    private static List<Taken> live(World w, Recovery r) {
        return w.live(r.shard).stream().map(Order::taken).toList();
    }

    /** One transaction that begins with the ledger row's lock. */
    private static At decide(World w, Recovery r, Ledger ledger) {
        if (ledger.is(State.RETIRED)) {
            return At.END;
        }
        boolean sound = isSound(w, r, ledger);
        if (!sound || w.has(Rule.SOUND_IS_NEW_EPOCH)) {
            ledger.begin(sound ? r.seen.seq : -1);
        }
        r.epoch = ledger.epoch;
        w.count(sound ? "opened as sound" : "rebuilt");
        if (sound) {
            return At.OPEN_SOUND;
        }
        ledger.lastSeq = 0;
        ledger.state = State.RECOVERING;
        r.allocated = ledger.allocated;
        r.live = w.has(Rule.LIVE_LAST) ? live(w, r) : r.live;
        return At.BEGIN;
    }

    private static boolean isSound(World w, Recovery r, Ledger ledger) {
        return ledger.is(State.OPEN)
                && r.seen.epoch == ledger.epoch
                && (!w.has(Rule.SEQ) || r.seen.seq >= ledger.lastSeq)
                && (!w.has(Rule.RETURNED) || r.seen.returned >= recorded(w, r))
                && (!w.has(Rule.INIT) || r.seen.init == ledger.allocated)
                && r.seen.balances();
    }

    /** Units of this shard's returns that its present life must know of. */
    private static int recorded(World w, Recovery r) {
        int since = w.has(Rule.SINCE_REBUILT) ? r.seen.rebuilt : r.seen.epoch;
        return w.returns.values().stream()
                .filter(row -> row.message().shard() == r.shard
                        && !row.message().burns()
                        && row.answeredEpoch() >= since
                        && (row.outcome() == Outcome.RETURNED
                                || (row.outcome() == Outcome.ALREADY_DONE
                                        && w.has(Rule.ALREADY_DONE))))
                .mapToInt(row -> World.of(w.orders, row.message().id()).taken().units())
                .sum();
    }

    private static At begin(World w, Recovery r, Redis redis) {
        List<Taken> entries = redis.stock().outbox;
        if (!redis.beginRebuild(r)) {
            return At.END;
        }
        if (redis.stock().outbox.size() < entries.size()) {
            entries.stream()
                    .filter(t -> !w.topic.containsKey(t.key()) && !w.held.containsKey(t.key()))
                    .forEach(t -> w.unanswered.add(t.id()));
        }
        return r.live.isEmpty() ? At.FINISH : At.PAGES;
    }

    private static At openLedger(World w, Recovery r, Ledger ledger) {
        if (w.has(Rule.OPEN_MINE) && (ledger.epoch != r.epoch || !ledger.is(State.RECOVERING))) {
            return At.END;
        }
        ledger.state = State.OPEN;
        return At.OPEN_BUILT;
    }
}
