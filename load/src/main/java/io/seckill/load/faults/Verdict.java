package io.seckill.load.faults;

import io.seckill.load.faults.Buyer.State;
import io.seckill.load.faults.Buyer.Told;
import io.seckill.load.faults.Seen.InShard;
import io.seckill.load.faults.Seen.Ledger;
import io.seckill.load.faults.Seen.Order;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What does not hold, in sentences: of the stores alone, and of them and what buyers were told. */
final class Verdict {

    private static final int MOST_NAMED = 3;

    private Verdict() {}

    /** What may not be true at any moment, faults or not. */
    static List<String> always(Seen seen, long stock) {
        List<String> broken = new ArrayList<>();
        seen.shards().forEach((shard, held) -> {
            if (held.isWhole()) {
                broken.addAll(ofShard("shard " + shard, held));
            }
        });
        seen.ledger().forEach((shard, row) -> {
            long live = Seen.units(liveOf(seen, shard));
            if (live != row.sold() || live > row.allocated()) {
                broken.add("shard %d: %d units in live orders, %d sold, %d allocated"
                        .formatted(shard, live, row.sold(), row.allocated()));
            }
        });
        long live = Seen.units(seen.live());
        if (live > stock) {
            broken.add(live + " units in live orders of " + stock);
        }
        Set<String> users = new HashSet<>();
        seen.live().stream()
                .filter(order -> !users.add(order.userId()))
                .forEach(order -> broken.add(order.userId() + " has two live orders"));
        return broken;
    }

    /** What may not be true of what one shard holds, at any moment. */
    static List<String> ofShard(String where, InShard held) {
        List<String> broken = new ArrayList<>();
        long available = held.count("available");
        if (available < 0
                || held.count("init") - held.count("deducted") + held.count("returned")
                        != available) {
            broken.add(where + ": counters do not add up: " + held.stock());
        }
        long reserved = held.count("deducted") - held.count("returned") - held.count("burned");
        if (reserved != held.heldUnits()) {
            broken.add("%s: %d units reserved, counters say %d"
                    .formatted(where, held.heldUnits(), reserved));
        }
        Map<String, String> marks = new HashMap<>();
        held.held().forEach((id, user) -> marks.put(user, id));
        if (!marks.equals(held.buyers())) {
            broken.add(where + ": buyers are not the users of its reservations");
        }
        return broken;
    }

    /** What must be true once all is well again and everybody has had a turn. */
    static List<String> whenQuiet(Seen seen, List<Told> told, long stock) {
        List<String> broken = new ArrayList<>();
        seen.ledger().forEach((shard, row) -> {
            InShard held = seen.shards().get(shard);
            if (held != null) {
                units("shard " + shard, row, held, liveOf(seen, shard), broken);
            }
        });
        long sold = Seen.units(seen.live());
        if (sold != stock) {
            broken.add(sold + " of " + stock + " units are sold");
        }
        if (seen.due() > 0) {
            broken.add(seen.due() + " returns wait");
        }
        buyers(seen, told, broken);
        return broken;
    }

    private static void units(
            String where, Ledger row, InShard held, List<Order> live, List<String> broken) {
        if (row.state().equals("RETIRED")) {
            if (row.allocated() != Seen.units(live)) {
                broken.add("%s: retired with %d units, %d in live orders"
                        .formatted(where, row.allocated(), Seen.units(live)));
            }
            return; // what it holds itself is nobody's
        }
        if (!held.isWhole() || held.count("available") + Seen.units(live) != row.allocated()) {
            broken.add("%s: %s available and %d in live orders of %d (epoch %d, %s)"
                    .formatted(
                            where,
                            held.stock().getOrDefault("available", "none"),
                            Seen.units(live),
                            row.allocated(),
                            row.epoch(),
                            row.state()));
        }
        Set<String> ordered = live.stream().map(Order::reservationId).collect(Collectors.toSet());
        Set<String> reserved = held.held().keySet();
        addAll(where + ": reserved without a live order", without(reserved, ordered), broken);
        addAll(where + ": live order without reservation", without(ordered, reserved), broken);
        if (held.outbox() > 0) {
            broken.add(where + ": " + held.outbox() + " entries in the outbox");
        }
    }

    private static void buyers(Seen seen, List<Told> told, List<String> broken) {
        Map<String, Order> live = seen.live().stream()
                .collect(Collectors.toMap(Order::userId, order -> order, (one, other) -> one));
        Map<String, Set<String>> wrong = new TreeMap<>();
        for (Told one : told) {
            String what = one.wrong().isEmpty() ? wrong(one, live.get(one.user())) : one.wrong();
            wrong.computeIfAbsent(what, any -> new TreeSet<>()).add(one.user());
        }
        Map<String, Order> ordered = seen.orders().stream()
                .filter(order -> !order.status().equals("REJECTED"))
                .collect(Collectors.toMap(Order::reservationId, order -> order));
        told.stream()
                .flatMap(one -> one.rejected().stream())
                .filter(ordered::containsKey)
                .forEach(id -> wrong.computeIfAbsent(
                                "told REJECTED of a reservation that became an order",
                                any -> new TreeSet<>())
                        .add(id));
        Set<String> decided =
                seen.orders().stream().map(Order::reservationId).collect(Collectors.toSet());
        told.forEach(one -> without(one.forgotten(), decided)
                .forEach(id -> wrong.computeIfAbsent(
                                "promised a unit, and never told what became of it",
                                any -> new TreeSet<>())
                        .add(id)));
        wrong.remove("");
        wrong.forEach((what, users) -> addAll(what, users, broken));
    }

    /** Empty: what the user was told is so. */
    private static String wrong(Told told, @Nullable Order order) {
        if (told.state() == State.WAITING || told.state() == State.LEAVING) {
            return "never told what became of it, last " + told.word();
        }
        if (told.state() == State.HOLDING) {
            boolean is = order != null
                    && order.orderSn().equals(told.orderSn())
                    && (order.status().equals("PAID") || told.word().equals("ORDERED"));
            return is ? "" : "told " + told.word() + ", has no such order";
        }
        if (order != null) {
            return "not told of its order, last " + told.word();
        }
        return told.word().equals("SOLD_OUT") ? "" : "not told SOLD_OUT, last " + told.word();
    }

    private static List<Order> liveOf(Seen seen, int shard) {
        return seen.live().stream().filter(order -> order.shard() == shard).toList();
    }

    private static Set<String> without(Set<String> all, Set<String> those) {
        Set<String> rest = new HashSet<>(all);
        rest.removeAll(those);
        return rest;
    }

    private static void addAll(String what, Set<String> whom, List<String> broken) {
        if (!whom.isEmpty()) {
            String some = whom.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
            broken.add("%s: %d, %s".formatted(what, whom.size(), some));
        }
    }
}
