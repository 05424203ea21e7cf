package io.seckill.flashsale.query;

import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.shard.Script;
import java.util.List;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** What became of a user's reservations of a product, in the control Redis; store_result.lua. */
@Component
public final class ResultStore {

    private static final Script SCRIPT = Script.of(ResultStore.class, "/store_result.lua");

    private final RedisClient control;

    ResultStore(RedisClient control) {
        this.control = control;
    }

    /**
     * Keeps the event unless a later one of its reservation is kept, or the sale was removed;
     * throws to be repeated.
     */
    public void store(OrderEvent event) {
        SCRIPT.run(
                control,
                List.of(
                        RedisKeys.result(event.productId(), event.userId()),
                        RedisKeys.removed(event.productId())),
                List.of(event.reservationId(), rank(event.status()), Json.write(event)));
    }

    /** All that is known; refused with BUSY when the control Redis is away. */
    Outcome<List<OrderEvent>> read(String productId, String userId) {
        try {
            return Outcome.of(control.hvals(RedisKeys.result(productId, userId)).stream()
                    .map(value -> Json.read(value.substring(2), OrderEvent.class))
                    .toList());
        } catch (JedisException e) {
            return Outcome.refused(Refusal.BUSY);
        }
    }

    private static String rank(OrderEvent.Status status) {
        return status == OrderEvent.Status.ORDERED ? "1" : "2";
    }
}
