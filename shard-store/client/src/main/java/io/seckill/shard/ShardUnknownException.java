package io.seckill.shard;

/**
 * The command was sent and no answer came: the shard may have done it, or may still do it when it
 * wakes. The caller asks the same shard again with the same reservation id, never another shard.
 */
public final class ShardUnknownException extends RuntimeException {

    ShardUnknownException(String shard, Throwable cause) {
        super(shard + " did not answer, outcome unknown: " + cause.getMessage(), cause);
    }
}
