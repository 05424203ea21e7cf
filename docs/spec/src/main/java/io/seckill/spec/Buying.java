package io.seckill.spec;

import io.seckill.spec.Bounds.Buyer;

import java.util.Optional;

/** Buyers, flash-sale-service and its relay. An attempt carries no epoch and no identity. */
final class Buying {

    private Buying() {}

    static void sends(Choices to) {
        for (Buyer buyer : to.world.bounds.buyers()) {
            if (to.world.tries.getOrDefault(buyer.name(), 0) < to.world.bounds.tries()) {
                for (int shard = 0; shard < to.shards(); shard++) {
                    to.add(shard, 0, buyer.name(), 0);
                }
            }
        }
    }

    static void send(World w, Step s) {
        Buyer buyer = buyer(w, s.id()).orElseThrow();
        String id = s.id() + w.tries.merge(s.id(), 1, Integer::sum);
        w.requests.put(id, new Request(id, buyer.name(), buyer.units(), s.shard()));
    }

    static Optional<Buyer> buyer(World w, String name) {
        return w.bounds.buyers().stream().filter(b -> b.name().equals(name)).findAny();
    }

    /** #1: the answer is lost, and the same attempt comes again or never learns. */
    static void asks(Choices to) {
        to.world.requests.values().forEach(r -> {
            to.each(r.shard(), r.id());
            if (to.world.bounds.repeats()) {
                for (int p = 0; p < to.world.shards.get(r.shard()).size(); p++) {
                    to.add(r.shard(), p, r.id(), 1);
                }
            }
        });
    }

    static void ask(World w, Step s) {
        Request r = World.of(w.requests, s.id());
        boolean verified = w.redis(s).isVerified();
        if (w.redis(s).reserve(r)) {
            w.count("taken");
            w.takenUnverified |= !verified;
        }
        if (s.n() == 0) {
            w.requests.remove(s.id());
        }
    }

    static void gaveUp(Choices to) {
        if (to.world.bounds.repeats()) {
            to.addAll(to.world.requests.keySet());
        }
    }

    static void giveUp(World w, Step s) {
        w.requests.remove(s.id());
    }

    /** A gated shard's outbox is read as well. */
    static void relays(Choices to) {
        for (int shard = 0; shard < to.shards(); shard++) {
            for (int p = 0; p < to.world.shards.get(shard).size(); p++) {
                if (!to.world.shards.get(shard).get(p).stock().outbox.isEmpty()) {
                    to.add(shard, p, "", 0);
                }
            }
        }
    }

    static void relay(World w, Step s) {
        Taken first = w.redis(s).edit().outbox.remove(0);
        w.topic.put(first.key(), first);
    }

    static void reads(Choices to) {
        relays(to);
        to.steps.removeIf(s -> {
            String key = to.world.redis(s).stock().outbox.get(0).key();
            return to.world.held.containsKey(key) || to.world.topic.containsKey(key);
        });
    }

    static void read(World w, Step s) {
        Taken first = w.redis(s).stock().outbox.get(0);
        w.held.put(first.key(), first);
    }

    static void wakes(Choices to) {
        if (!to.world.held.isEmpty()) {
            to.add(0);
        }
    }

    static void wake(World w, Step s) {
        w.topic.putAll(w.held);
        w.held.clear();
    }
}
