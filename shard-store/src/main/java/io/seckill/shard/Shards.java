package io.seckill.shard;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

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

    public List<Shard> all() {
        return shards;
    }

    public Shard get(int index) {
        return shards.get(index);
    }

    /** The user's home shard and then the others: always the same order for the same user. */
    public List<Shard> ring(String userId, int shardCount) {
        if (shardCount < 1 || shardCount > shards.size()) {
            throw new IllegalStateException("a sale over " + shardCount + " shards, but "
                    + shards.size() + " are configured (seckill.shards)");
        }
        int home = home(userId, shardCount);
        return IntStream.range(home, home + shardCount)
                .mapToObj(i -> shards.get(i % shardCount))
                .toList();
    }

    static int home(String userId, int shardCount) {
        CRC32 crc = new CRC32();
        crc.update(userId.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % shardCount);
    }

    @Override
    public void close() {
        shards.forEach(Shard::close);
    }
}
