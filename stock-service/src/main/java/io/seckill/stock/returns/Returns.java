package io.seckill.stock.returns;

import io.seckill.common.mq.MessageHandler;
import io.seckill.contracts.Json;
import io.seckill.contracts.StockReturn;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Gives units back to the shard they came from, each reservation once.
 *
 * <p>The shard's script decides: it knows the reservation and remembers that it gave it back. The
 * row in {@code stock_return} is written after the shard's answer and says that there is nothing
 * left to do. A crash in between repeats the script, which changes nothing; a duplicate meets the
 * row.
 *
 * <p>A shard that is away keeps only its own returns waiting: what can be done of a batch is done,
 * then the batch is asked for again.
 */
@Component
public final class Returns implements MessageHandler<StockReturn> {

    /** After so many a shard is left alone for the rest of the batch; one damaged row is not. */
    private static final int MAX_FAILURES = 3;

    private final SaleMapper sales;
    private final ReturnMapper returns;
    private final Shards shards;
    private final Clock clock;

    Returns(SaleMapper sales, ReturnMapper returns, Shards shards, Clock clock) {
        this.sales = sales;
        this.returns = returns;
        this.shards = shards;
        this.clock = clock;
    }

    @Override
    public void handle(List<StockReturn> messages) {
        Map<Integer, Integer> failures = new HashMap<>();
        RuntimeException failure = null;
        for (StockReturn r : messages) {
            try {
                if (failures.getOrDefault(r.shard(), 0) < MAX_FAILURES) {
                    handle(r);
                }
            } catch (RuntimeException e) {
                failures.merge(r.shard(), 1, Integer::sum);
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void handle(StockReturn r) {
        if (returns.isDone(r.reservationId())) {
            return;
        }
        Optional<Sale> sale = sales.find(r.productId());
        Optional<String> forged = forged(r, sale);
        if (forged.isPresent()) {
            park(StockReturn.TOPIC, r.reservationId(), Json.write(r), forged.get());
            return;
        }
        Shard shard = sale.orElseThrow().over(shards).get(r.shard());
        returns.done(r, shard.giveBack(r), clock.millis());
    }

    /** Why no order of ours can have sent it. */
    static Optional<String> forged(StockReturn r, Optional<Sale> sale) {
        if (sale.isEmpty()) {
            return Optional.of("there is no sale of " + r.productId());
        }
        if (r.shard() >= sale.get().shardCount()) {
            return Optional.of("the sale of " + r.productId() + " has no shard " + r.shard());
        }
        return r.epoch() == sale.get().epoch()
                ? Optional.empty()
                : Optional.of("the sale of " + r.productId() + " has no epoch " + r.epoch());
    }

    @Override
    public void park(String topic, String messageId, String body, String reason) {
        returns.park(topic, messageId, body, reason, clock.millis());
    }
}
