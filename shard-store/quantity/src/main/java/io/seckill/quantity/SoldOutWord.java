package io.seckill.quantity;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Whether a product is sold out, as the control Redis tells all who ask.
 *
 * <p>A return changes a shard first and the version here after; who says "sold out" reads the
 * version first and asks the shards after. So of two that overlap either the shards' answer has the
 * unit in it, or the version is another one by the end, or it becomes another one later, which takes
 * the word back: a late "sold out" closes nothing. What is never said, after a crash between the
 * two, stock-service's next turn says.
 *
 * <p>Each change of the word is an entry of a stream, which the edges read many times a second:
 * unit: products; bound: {@link Bounds#SALES}, about; older ones are dropped, for an edge reads all
 * sales four times a second anyhow.
 */
public final class SoldOutWord {

    private static final Script SOLD_OUT = script("sold_out");
    private static final Script UNITS_BACK = script("units_back");
    private static final Script FORGET = script("forget_changes");
    private static final String MOST = Long.toString(Bounds.SALES);

    private final RedisClient control;

    public SoldOutWord(RedisClient control) {
        this.control = control;
    }

    /** To be read before the shards are asked. */
    public String version(String productId) {
        return versionOf(control.hget(RedisKeys.sale(productId), RedisKeys.STOCK_VERSION));
    }

    /** Of what was found there. */
    public static String versionOf(@Nullable String found) {
        return Objects.requireNonNullElse(found, "0");
    }

    /** False: units came since, and it is not said. */
    public boolean soldOut(String productId, String version) {
        return (long) SOLD_OUT.run(control, keys(productId), List.of(version, productId, MOST))
                == 1;
    }

    /** Units came back or came new; after the shard has them. */
    public void unitsBack(String productId) {
        UNITS_BACK.run(control, keys(productId), List.of(productId, MOST));
    }

    /** Nothing of a sale that is removed stays; once its hash is gone, for then none is added. */
    public void forget(String productId) {
        FORGET.run(control, List.of(RedisKeys.SALE_CHANGES), List.of(productId));
    }

    private static List<String> keys(String productId) {
        return List.of(RedisKeys.sale(productId), RedisKeys.SALE_CHANGES);
    }

    private static Script script(String name) {
        return Script.of(SoldOutWord.class, "/quantity/" + name + ".lua");
    }
}
