package io.seckill.spec;

import java.util.stream.Collectors;

/** A world in one line. */
final class Told {

    private Told() {}

    static String of(World w) {
        StringBuilder to = new StringBuilder();
        for (int shard = 0; shard < w.shards.size(); shard++) {
            Ledger l = w.ledger(shard);
            to.append("ledger%d e%d %d/%d %s "
                    .formatted(shard, l.epoch, l.sold, l.allocated, l.state));
            w.shards.get(shard).forEach(redis -> to.append(of(redis)));
        }
        if (!w.orders.isEmpty()) {
            to.append(w.orders.values().stream()
                    .map(o -> o.taken().id() + " " + o.status())
                    .collect(Collectors.joining(", ", "orders ", " ")));
        }
        if (!w.returns.isEmpty()) {
            to.append(w.returns.values().stream()
                    .map(r -> r.message().id() + " " + r.outcome())
                    .collect(Collectors.joining(", ", "returns ", "")));
        }
        return to.toString().strip();
    }

    private static String of(Redis redis) {
        Stock s = redis.stock();
        String held = s.reservations.values().stream()
                .map(k -> k.taken().id() + " " + k.state())
                .collect(Collectors.joining(", "));
        return "redis%d %s e%d %d of %d seq %d [%s] "
                .formatted(
                        redis.identity,
                        redis.isVerified() ? "open" : "gated",
                        s.epoch,
                        s.available,
                        s.init,
                        s.seq,
                        held);
    }
}
