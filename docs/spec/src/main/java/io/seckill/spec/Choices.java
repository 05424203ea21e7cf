package io.seckill.spec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Collects in which forms one kind of step can happen now. */
final class Choices {

    final List<Step> steps = new ArrayList<>();
    final World world;
    private final Kind kind;

    Choices(World world, Kind kind) {
        this.world = world;
        this.kind = kind;
    }

    void add(int shard, int process, String id, int n) {
        steps.add(new Step(kind, shard, process, id, n));
    }

    void add(int shard) {
        add(shard, 0, "", 0);
    }

    void addAll(Collection<String> ids) {
        ids.forEach(id -> add(0, 0, id, 0));
    }

    /** In either process of a split. */
    void each(int shard, String id) {
        for (int p = 0; p < world.shards.get(shard).size(); p++) {
            add(shard, p, id, 0);
        }
    }

    int shards() {
        return world.shards.size();
    }
}
