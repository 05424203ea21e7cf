package io.seckill.stock.sale;

import java.util.List;
import java.util.stream.LongStream;

/** Splits a product's units over shards, the remainder one by one to the first. */
public final class Split {

    private Split() {}

    /**
     * One number per shard; 0 units are loaded all the same, so that the shard answers SOLD_OUT.
     */
    public static List<Long> evenly(long units, int shards) {
        return LongStream.range(0, shards)
                .map(shard -> units / shards + (shard < units % shards ? 1 : 0))
                .boxed()
                .toList();
    }
}
