package io.seckill.spec;

import io.seckill.spec.Bounds.Buyer;
import io.seckill.spec.Order.Status;

import java.util.Optional;

/**
 * order-service. A transaction is one instant here, that of its commit: it waits for the ledger
 * row's lock and holds it to the end, and what it reads before the lock decides nothing. Without
 * OPENINGS_LAST or EPOCH_LAST something read before decides, as a step of its own.
 */
final class Ordering {

    private Ordering() {}

    static void early(Choices to) {
        World w = to.world;
        if (!w.has(Rule.OPENINGS_LAST)) {
            to.addAll(w.topic.keySet());
        }
        if (!w.has(Rule.EPOCH_LAST)) {
            w.live().forEach(o -> to.add(0, 0, o.taken().id(), 0));
        }
        to.steps.removeIf(s -> w.early.containsKey(s.id()));
    }

    static void readEarly(World w, Step s) {
        Taken taken = w.topic.containsKey(s.id())
                ? World.of(w.topic, s.id())
                : World.of(w.orders, s.id()).taken();
        w.early.put(s.id(), w.ledger(taken.shard()).epoch);
    }

    /** #1: it comes again. */
    static void deliveries(Choices to) {
        to.addAll(to.world.topic.keySet());
        if (to.world.bounds.repeats()) {
            to.world.topic.keySet().forEach(key -> to.add(0, 0, key, 1));
        }
    }

    static void deliver(World w, Step s) {
        Taken taken = World.of(w.topic, s.id());
        if (!w.orders.containsKey(taken.id())) {
            book(w, taken);
        }
        if (s.n() == 0) {
            w.topic.remove(s.id());
        }
    }

    private static void book(World w, Taken taken) {
        Ledger ledger = w.ledger(taken.shard());
        boolean bad = Buying.buyer(w, taken.user()).map(Buyer::bad).orElse(false);
        if (bad && !w.has(Rule.PARKED_HAS_ROW)) {
            return;
        }
        int known = w.early.getOrDefault(taken.key(), ledger.epoch);
        if (w.has(Rule.KEPT_SEQ) && !ledger.kept(taken, known)) {
            w.count("rejected as lost");
            reject(w, taken, Status.LOST);
            return;
        }
        ledger.lastSeq = Math.max(ledger.lastSeq, taken.seq());
        if (bad) {
            reject(w, taken, Status.REJECTED);
        } else if (ledger.sold + taken.units() > ledger.allocated) {
            w.count("ledger full");
            w.soldTwice |= !w.meddled;
            reject(w, taken, Status.FULL);
            if (w.has(Rule.FULL_IS_PROOF)) {
                w.suspect(taken.shard());
            }
        } else if (w.live().stream().anyMatch(o -> o.taken().user().equals(taken.user()))) {
            reject(w, taken, Status.REJECTED);
        } else {
            w.orders.put(taken.id(), new Order(taken, Status.LIVE, 0));
            ledger.sold += taken.units();
        }
    }

    private static void reject(World w, Taken taken, Status status) {
        end(w, new Order(taken, status, finalEpoch(w, taken)));
    }

    static void closings(Choices to) {
        to.world.live().forEach(o -> to.add(0, 0, o.taken().id(), 0));
    }

    static void close(World w, Step s) {
        Taken taken = World.of(w.orders, s.id()).taken();
        w.ledger(taken.shard()).sold -= taken.units();
        end(w, new Order(taken, Status.CANCELLED, finalEpoch(w, taken)));
    }

    private static int finalEpoch(World w, Taken taken) {
        int now = w.ledger(taken.shard()).epoch;
        return w.has(Rule.FINAL_EPOCH)
                ? Optional.ofNullable(w.early.get(taken.id())).orElse(now)
                : taken.epoch();
    }

    private static void end(World w, Order order) {
        w.orders.put(order.taken().id(), order);
        if (order.owesReturn()) {
            w.returnTopic.put(order.giveBack().key(), order.giveBack());
        }
    }
}
