package io.seckill.shard;

/**
 * The shard definitely did not do it: there was no connection, or it answered with an error before
 * the first write. The caller may go on to another shard.
 */
public final class ShardDownException extends RuntimeException {

    ShardDownException(String shard, Throwable cause) {
        super(shard + " did not do it: " + cause.getMessage(), cause);
    }
}
