package io.seckill.spec;

import io.seckill.spec.Kept.State;
import io.seckill.spec.ReturnRow.Outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A Redis process with its data and all it ever held. Each method but the first few is a script:
 * one instant, which reads the process's identity itself. A restart or a promotion goes on from
 * any state of the past.
 */
final class Redis {

    private static final int PAST_MAX = 16;

    final int identity;
    private final Set<Rule> rules;
    private final List<Stock> past;

    Redis(int identity, Set<Rule> rules, List<Stock> past) {
        this.identity = identity;
        this.rules = rules;
        this.past = new ArrayList<>(past);
    }

    Redis copy() {
        return new Redis(identity, rules, past);
    }

    Stock stock() {
        return past.get(past.size() - 1);
    }

    /** A state never changes: a copy of it becomes the present one. */
    Stock edit() {
        return become(new Stock(stock()));
    }

    Stock become(Stock next) {
        past.add(next);
        if (past.size() > PAST_MAX) {
            past.remove(1);
        }
        return next;
    }

    List<Stock> past() {
        return past;
    }

    /** All but the latest writes. */
    List<Stock> without(int writes) {
        return past.subList(0, Math.max(1, past.size() - writes));
    }

    boolean isVerified() {
        return stock().epoch > 0 && stock().openFor == identity;
    }

    boolean isOpen() {
        return has(Rule.GATE) ? isVerified() : stock().epoch > 0;
    }

    boolean reserve(Request r) {
        Stock now = stock();
        if (!isOpen()
                || now.reservations.containsKey(r.id())
                || now.buyers.containsKey(r.user())
                || now.available < r.units()) {
            return false;
        }
        Stock to = edit();
        to.seq++;
        to.available -= r.units();
        to.deducted += r.units();
        Taken taken = new Taken(r.id(), r.user(), r.units(), r.shard(), to.epoch, to.seq);
        to.hold(taken);
        to.outbox.add(taken);
        return true;
    }

    Outcome giveBack(GiveBack r) {
        Stock now = stock();
        Kept kept = now.reservations.get(r.id());
        if (!isOpen()) {
            return Outcome.WAITING;
        }
        if (kept == null) {
            return absent(r, now);
        }
        if (!kept.isReserved()) {
            return Outcome.ALREADY_DONE;
        }
        int units = kept.taken().units();
        Stock to = edit();
        to.buyers.remove(kept.taken().user(), r.id());
        to.reservations.put(r.id(), new Kept(r.burns() ? State.B : State.X, kept.taken()));
        if (r.burns()) {
            to.burned += units;
            return Outcome.BURNED;
        }
        to.available += units;
        to.returned += units;
        return Outcome.RETURNED;
    }

    private Outcome absent(GiveBack r, Stock now) {
        if (r.epoch() < now.rebuilt && has(Rule.OLDER)) {
            return Outcome.OLDER;
        }
        if (r.epoch() > now.epoch) {
            return Outcome.WAITING;
        }
        return has(Rule.LOST_WAITS) ? Outcome.LOST : Outcome.OLDER;
    }

    /** A top-up; true when the shard has it, or its rebuild counted it. */
    boolean add(Change c) {
        Stock now = stock();
        boolean strict = has(Rule.CHANGE_EPOCH);
        if (!isOpen() || (strict && now.epoch < c.epoch())) {
            return false;
        }
        if (!now.changes.contains(c.number()) && (!strict || now.epoch == c.epoch())) {
            Stock to = edit();
            to.changes.add(c.number());
            to.init += c.units();
            to.available += c.units();
        }
        return true;
    }

    /** Opens what was found sound, if it is still what was read. */
    void openSound(Recovery r) {
        Stock now = stock();
        if (now.epoch == r.seen.epoch && now.seq == r.seen.seq && now.init == r.seen.init) {
            Stock to = edit();
            to.epoch = r.epoch;
            to.openFor = identity;
        }
    }

    /** The first script of a rebuild: false when a later one is there. */
    boolean beginRebuild(Recovery r) {
        Stock now = stock();
        if (has(Rule.BUILDING) && Math.max(now.building, now.epoch) >= r.epoch) {
            return false;
        }
        Stock to = become(new Stock());
        to.building = r.epoch;
        if (has(Rule.OUTBOX_STAYS)) {
            to.outbox.addAll(now.outbox);
        }
        if (!has(Rule.STOCK_LAST)) {
            to.load(r.epoch, r.allocated, r.liveUnits());
        }
        return true;
    }

    boolean putPage(Recovery r, Taken live) {
        boolean mine = builds(r);
        if (mine) {
            edit().hold(live);
        }
        return mine;
    }

    /** The last script but one: counts what the pages brought and writes the stock. */
    boolean finishRebuild(Recovery r) {
        if (!builds(r) || (has(Rule.BUILDING) && stock().reservations.size() != r.live.size())) {
            return false;
        }
        Stock to = edit();
        to.building = 0;
        if (has(Rule.STOCK_LAST)) {
            to.load(r.epoch, r.allocated, r.liveUnits());
        }
        return true;
    }

    void openBuilt(Recovery r) {
        int epoch = stock().epoch;
        if (has(Rule.BUILDING) ? epoch == r.epoch : epoch > 0) {
            edit().openFor = identity;
        }
    }

    private boolean builds(Recovery r) {
        return !has(Rule.BUILDING) || stock().building == r.epoch;
    }

    private boolean has(Rule rule) {
        return rules.contains(rule);
    }
}
