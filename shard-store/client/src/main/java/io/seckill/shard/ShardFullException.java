package io.seckill.shard;

/**
 * The shard was not asked: as many wait for it as may. Going on to another would only fill that one
 * too.
 */
public final class ShardFullException extends RuntimeException {

    ShardFullException(String shard) {
        super(shard + " has no room for one more", null, false, false);
    }
}
