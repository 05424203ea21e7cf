package io.seckill.spec;

import io.seckill.spec.Bounds.Fault;

import java.util.ArrayList;
import java.util.List;

/** What befalls shards and messages. */
final class Faults {

    private static final int LAG_MAX = 5;

    private Faults() {}

    private static boolean may(World w, Fault fault) {
        return w.faults < w.bounds.faults() && w.bounds.allows(fault);
    }

    /** #n: so many writes are lost. */
    static void restarts(Choices to) {
        for (int shard = 0; may(to.world, Fault.LOSS) && shard < to.shards(); shard++) {
            List<Redis> processes = to.world.shards.get(shard);
            for (int p = 0; p < processes.size(); p++) {
                for (int lost = 0; lost < processes.get(p).past().size(); lost++) {
                    to.add(shard, p, "", lost);
                }
            }
        }
    }

    static void restart(World w, Step s) {
        w.shards.get(s.shard()).set(s.process(), w.redis(w.redis(s).without(s.n())));
        w.fault();
    }

    static void any(Choices to) {
        for (int shard = 0; may(to.world, Fault.LOSS) && shard < to.shards(); shard++) {
            to.add(shard);
        }
    }

    static void empty(World w, Step s) {
        w.shards.get(s.shard()).set(0, w.redis(List.of(new Stock())));
        w.fault();
    }

    /** Without a restart. */
    static void flush(World w, Step s) {
        w.redis(s).become(new Stock());
        w.meddled = true;
        w.fault();
    }

    static void promotions(Choices to) {
        for (int shard = 0; may(to.world, Fault.SPLIT) && shard < to.shards(); shard++) {
            if (to.world.shards.get(shard).size() == 1) {
                lags(to, shard, 0);
            }
        }
    }

    private static void lags(Choices to, int shard, int least) {
        int past = to.world.redis(shard).past().size();
        for (int lag = least; lag < Math.min(LAG_MAX, past); lag++) {
            to.add(shard, 0, "", lag);
        }
    }

    /** A replica takes over; the old master goes on serving whoever is connected. */
    static void promote(World w, Step s) {
        w.shards.get(s.shard()).add(0, w.redis(w.redis(s).without(s.n())));
        w.fault();
    }

    static void splits(Choices to) {
        for (int shard = 0; shard < to.shards(); shard++) {
            if (to.world.shards.get(shard).size() > 1) {
                to.add(shard);
            }
        }
    }

    static void oldDies(World w, Step s) {
        w.shards.get(s.shard()).subList(1, w.shards.get(s.shard()).size()).clear();
    }

    static void failBacks(Choices to) {
        if (may(to.world, Fault.FAIL_BACK)) {
            splits(to);
        }
    }

    /** The old master takes the new one's data and is promoted again: the same process. */
    static void failBack(World w, Step s) {
        List<Redis> both = w.shards.get(s.shard());
        List<Stock> past = both.get(0).past();
        Redis back = w.has(Rule.NEW_IDENTITY)
                ? w.redis(past)
                : new Redis(both.get(1).identity, w.bounds.rules(), past);
        w.shards.set(s.shard(), new ArrayList<>(List.of(back)));
        w.fault();
    }

    static void rewinds(Choices to) {
        for (int shard = 0; may(to.world, Fault.HANDS) && shard < to.shards(); shard++) {
            lags(to, shard, 1);
        }
    }

    /** Somebody puts an old copy of the keys back, without a restart. */
    static void rewind(World w, Step s) {
        List<Stock> before = w.redis(s).without(s.n());
        w.redis(s).become(before.get(before.size() - 1));
        w.meddled = true;
        w.fault();
    }

    /** Reservations of live orders whose attempts are over. */
    static void held(Choices to) {
        if (may(to.world, Fault.HANDS)) {
            to.world.live().forEach(o -> {
                Taken t = o.taken();
                if (!to.world.requests.containsKey(t.id())
                        && to.world.redis(t.shard()).stock().isReserved(t.id())) {
                    to.add(t.shard(), 0, t.id(), 0);
                }
            });
        }
    }

    static void deleteByHand(World w, Step s) {
        Stock stock = w.redis(s).edit();
        Kept kept = stock.reservations.remove(s.id());
        if (kept != null) {
            stock.buyers.remove(kept.taken().user());
        }
        w.edited = true;
        w.meddled = true;
        w.fault();
    }

    /** The broker loses a message. */
    static void drops(Choices to) {
        if (may(to.world, Fault.DROPS)) {
            to.addAll(to.world.topic.keySet());
            to.world.returnTopic.keySet().forEach(key -> to.add(0, 0, key, 1));
        }
    }

    static void drop(World w, Step s) {
        (s.n() == 0 ? w.topic : w.returnTopic).remove(s.id());
        w.fault();
    }
}
