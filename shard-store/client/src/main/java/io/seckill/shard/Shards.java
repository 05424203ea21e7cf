package io.seckill.shard;

import io.seckill.contracts.RedisEndpoint;

import java.util.List;
import java.util.stream.IntStream;

/** All shards, in the order of their numbers. */
public final class Shards implements AutoCloseable {

    private final List<Shard> shards;

    public Shards(List<Shard> shards) {
        this.shards = List.copyOf(shards);
        for (int i = 0; i < shards.size(); i++) {
            if (shards.get(i).index() != i) {
                throw new IllegalArgumentException(shards.get(i) + " stands at place " + i);
            }
        }
    }

    /** The shards of a setting, each the text of a {@link RedisEndpoint}. */
    public static Shards of(String setting, List<String> endpoints) {
        return new Shards(IntStream.range(0, endpoints.size())
                .mapToObj(i -> new Shard(i, RedisEndpoint.of(setting, endpoints.get(i))))
                .toList());
    }

    public List<Shard> all() {
        return shards;
    }

    /** Throws when a sale names a shard that is not configured here. */
    public Shard get(int index) {
        if (index < 0 || index >= shards.size()) {
            throw new IllegalStateException("a sale lies on shard " + index + ", but "
                    + shards.size() + " are configured (seckill.shards)");
        }
        return shards.get(index);
    }

    @Override
    public void close() {
        shards.forEach(Shard::close);
    }
}
