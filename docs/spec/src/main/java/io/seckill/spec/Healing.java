package io.seckill.spec;

import java.util.List;

/** Faults stop and everybody works, until nothing changes any more; then everybody buys. */
final class Healing {

    private static final int ROUNDS_MAX = 40;
    /** In this order, each as often as it can happen. */
    private static final List<Kind> ROUND = List.of(
            Kind.RELAY_WAKE,
            Kind.RELAY,
            Kind.DELIVER,
            Kind.GIVE_BACK,
            Kind.RECOVER,
            Kind.RECOVER_ON,
            Kind.SCAN,
            Kind.LOOK,
            Kind.FINISH_JOB,
            Kind.APPLY,
            Kind.RETIRE_AGAIN,
            Kind.OWE,
            Kind.ASK_AGAIN,
            Kind.FINISH_JOB);

    private Healing() {}

    /** False: it goes round for ever. */
    static boolean heal(World w) {
        w.shards.forEach(processes -> processes.subList(1, processes.size()).clear());
        w.recoverers.clear();
        w.requests.clear();
        for (int round = 0; round < ROUNDS_MAX; round++) {
            String before = w.key();
            ROUND.forEach(kind -> all(w, kind));
            if (w.key().equals(before)) {
                return true;
            }
        }
        return false;
    }

    private static void all(World w, Kind kind) {
        boolean more = true;
        while (more) {
            List<Step> now = kind.in(w).stream()
                    .filter(s -> s.n() == 0 && s.process() == 0)
                    .toList();
            now.forEach(s -> s.happens(w));
            more = !now.isEmpty() && (kind == Kind.RELAY || kind == Kind.RECOVER_ON);
        }
    }

    /** Fresh buyers of one unit each take whatever is left, and each becomes an order. */
    static void sellOut(World w) {
        for (int shard = 0; shard < w.shards.size(); shard++) {
            int left = w.redis(shard).stock().available;
            for (int i = 0; i < left; i++) {
                String id = "last" + shard + "." + i;
                w.redis(shard).reserve(new Request(id, id, 1, shard));
            }
        }
        all(w, Kind.RELAY);
        all(w, Kind.DELIVER);
    }
}
