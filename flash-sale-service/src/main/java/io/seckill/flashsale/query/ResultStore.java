package io.seckill.flashsale.query;

import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.shard.Pipeline;
import io.seckill.shard.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;

/** What became of a user's reservations of a product, in the control Redis; store_result.lua. */
@Component
public final class ResultStore {

    private static final Script STORE = Script.of(ResultStore.class, "/store_result.lua");
    private static final Script READ = Script.of(ResultStore.class, "/read_results.lua");

    private final RedisClient control;
    private final Pipeline reads;

    ResultStore(RedisClient control, Pipeline reads) {
        this.control = control;
        this.reads = reads;
    }

    /**
     * Keeps the event unless a later one of its reservation is kept, or the sale was removed;
     * throws to be repeated.
     */
    public void store(OrderEvent event) {
        STORE.run(
                control,
                List.of(
                        RedisKeys.result(event.productId(), event.userId()),
                        RedisKeys.removed(event.productId())),
                List.of(event.reservationId(), rank(event.status()), Json.write(event)));
    }

    /** All that is known; refused with BUSY when the control Redis is away. Waits for nothing. */
    CompletableFuture<Outcome<List<OrderEvent>>> read(String productId, String userId) {
        return reads.run(READ, List.of(RedisKeys.result(productId, userId)), List.of())
                .handle((reply, failure) -> {
                    if (failure != null) {
                        return Outcome.refused(Refusal.BUSY);
                    }
                    return Outcome.of(
                            ((List<?>) reply).stream().map(ResultStore::event).toList());
                });
    }

    private static OrderEvent event(Object kept) {
        return Json.read(((String) kept).substring(2), OrderEvent.class);
    }

    private static String rank(OrderEvent.Status status) {
        return status == OrderEvent.Status.ORDERED ? "1" : "2";
    }
}
