package io.seckill.spec;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** All that the stores hold of one product, and all that is on its way. */
final class World {

    final Bounds bounds;
    /** How often what happened, of all worlds copied from each other. */
    final Map<String, Integer> counts;

    final List<Ledger> ledgers = new ArrayList<>();
    /** Per shard its present process and, in a split, the old master with clients of its own. */
    final List<List<Redis>> shards = new ArrayList<>();

    final Map<String, Order> orders = new TreeMap<>();
    final Map<String, ReturnRow> returns = new TreeMap<>();
    final List<Change> changes = new ArrayList<>();

    final Map<String, Request> requests = new TreeMap<>();
    final Map<String, Integer> tries = new TreeMap<>();
    final Map<String, Taken> topic = new TreeMap<>();
    /** In the hands of a relay that sleeps. */
    final Map<String, Taken> held = new TreeMap<>();

    final Map<String, GiveBack> returnTopic = new TreeMap<>();
    final Map<String, Job> jobs = new TreeMap<>();
    final Map<Integer, Recovery> recoverers = new TreeMap<>();
    /** What a transaction read before it had its lock: the epoch then; only without that rule. */
    final Map<String, Integer> early = new TreeMap<>();
    /** Reservations that somebody's code, and no fault, left without an answer. */
    final Set<String> unanswered = new TreeSet<>();

    int identities;
    int total;
    int topUps;
    int faults;
    /** A reservation was deleted by hand: the counters know of units that no reservation has. */
    boolean edited;
    /** Data went away under an open gate: only then may a unit be sold twice, up to the ledger. */
    boolean meddled;
    /** A full ledger refused what a shard without such a fault had sold. */
    boolean soldTwice;
    /** Units were taken from a process whose books nobody has verified. */
    boolean takenUnverified;

    World(Bounds bounds, Map<String, Integer> counts) {
        this.bounds = bounds;
        this.counts = counts;
    }

    static World of(Bounds bounds) {
        World w = new World(bounds, new TreeMap<>());
        for (int units : bounds.units()) {
            Redis redis = w.redis(List.of(new Stock()));
            Stock loaded = redis.edit();
            loaded.load(1, units, 0);
            loaded.openFor = redis.identity;
            w.shards.add(new ArrayList<>(List.of(redis)));
            w.ledgers.add(new Ledger(units));
            w.total += units;
        }
        return w;
    }

    World copy() {
        World to = new World(bounds, counts);
        ledgers.forEach(l -> to.ledgers.add(new Ledger(l)));
        shards.forEach(
                s -> to.shards.add(new ArrayList<>(s.stream().map(Redis::copy).toList())));
        to.orders.putAll(orders);
        to.returns.putAll(returns);
        to.changes.addAll(changes);
        to.requests.putAll(requests);
        to.tries.putAll(tries);
        to.topic.putAll(topic);
        to.held.putAll(held);
        to.returnTopic.putAll(returnTopic);
        to.jobs.putAll(jobs);
        recoverers.forEach((k, r) -> to.recoverers.put(k, new Recovery(r)));
        to.early.putAll(early);
        to.unanswered.addAll(unanswered);
        to.identities = identities;
        to.total = total;
        to.topUps = topUps;
        to.faults = faults;
        to.edited = edited;
        to.meddled = meddled;
        to.soldTwice = soldTwice;
        to.takenUnverified = takenUnverified;
        return to;
    }

    /** A new process that goes on from this past. */
    Redis redis(List<Stock> past) {
        return new Redis(++identities, bounds.rules(), past);
    }

    boolean has(Rule rule) {
        return bounds.has(rule);
    }

    Ledger ledger(int shard) {
        return ledgers.get(shard);
    }

    /** The present process. */
    Redis redis(int shard) {
        return shards.get(shard).get(0);
    }

    Redis redis(Step step) {
        return shards.get(step.shard()).get(step.process());
    }

    List<Order> live() {
        return orders.values().stream().filter(Order::isLive).toList();
    }

    List<Order> live(int shard) {
        return live().stream().filter(o -> o.taken().shard() == shard).toList();
    }

    static int units(List<Order> of) {
        return of.stream().mapToInt(o -> o.taken().units()).sum();
    }

    boolean isFinal(String id) {
        return Optional.ofNullable(orders.get(id)).filter(o -> !o.isLive()).isPresent();
    }

    /** Somebody has proof that the shard lost something; its gate stays as it is. */
    void suspect(int shard) {
        if (has(Rule.RECOVERING) && ledger(shard).is(Ledger.State.OPEN)) {
            ledger(shard).state = Ledger.State.RECOVERING;
            count("losses found");
        }
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    void fault() {
        faults++;
        count("faults");
    }

    /** Of a key that is there, as the step that names it says. */
    static <K, V> V of(Map<K, V> map, K key) {
        return requireNonNull(map.get(key));
    }

    /** What tells two states apart; the past only while a fault can still bring it back. */
    String key() {
        boolean pastCounts = faults < bounds.faults();
        StringBuilder to = new StringBuilder();
        for (List<Redis> shard : shards) {
            for (Redis redis : shard) {
                to.append(redis.identity).append(pastCounts ? redis.past() : redis.stock());
            }
        }
        return to.append(ledgers)
                .append(orders)
                .append(returns)
                .append(changes)
                .append(requests)
                .append(tries)
                .append(topic)
                .append(held)
                .append(returnTopic)
                .append(jobs)
                .append(recoverers)
                .append(early)
                .append(unanswered)
                .append(faults)
                .append(edited)
                .append(meddled)
                .append(soldTwice)
                .append(takenUnverified)
                .toString();
    }
}
