package io.seckill.stock;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Turns "a store cannot be reached" into BUSY that names the store. Every call may be repeated, so
 * BUSY is right whether the store did what it was asked or not.
 */
public final class Unavailable {

    private static final Logger LOG = LoggerFactory.getLogger(Unavailable.class);

    private Unavailable() {}

    /** For a shard that was down or did not answer. */
    public static RefusedException shard(int shard) {
        return busy("shard " + shard);
    }

    /** For one that is there, and must or will not be given units. */
    public static RefusedException shard(int shard, String why) {
        return new RefusedException(
                Refusal.BUSY,
                "shard " + shard + " takes no units: " + why + "; mend that, call again");
    }

    /** For a broker that did not confirm. */
    public static RefusedException broker() {
        return busy("the broker");
    }

    /** Does the work of a request; a refusal it throws goes through as it is. */
    public static <T> T named(Supplier<T> work) {
        try {
            return work.get();
        } catch (DataAccessException | TransactionException e) {
            LOG.warn("database: {}", e.toString());
            throw busy("the database");
        } catch (JedisException e) {
            LOG.warn("control Redis: {}", e.toString());
            throw busy("the control Redis");
        }
    }

    private static RefusedException busy(String store) {
        return new RefusedException(Refusal.BUSY, store + " is away; call again");
    }
}
