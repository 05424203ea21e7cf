package io.seckill.flashsale.relay;

import io.seckill.contracts.Placement;
import io.seckill.flashsale.Outcome;
import io.seckill.flashsale.sale.Sale;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.SoldOutWord;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Tells the edges within some milliseconds that the last unit of a sale is taken.
 *
 * <p>Who took the last unit of a shard has all shards of the sale asked what they have left, on a
 * thread of its own: attempts wait for nothing. {@link SoldOutWord} has why a word that comes late
 * closes nothing. What fails here is not tried again: stock-service says it within its next turn.
 */
@Component
final class SoldOutRelay implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SoldOutRelay.class);

    private final SaleCache sales;
    private final QuantityStocks shards;
    private final SoldOutWord word;

    /** Its queue is bounded by what waits; once it has ended it takes no more, in silence. */
    private final ExecutorService worker = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
                Thread thread = new Thread(task, "sold out");
                thread.setDaemon(true);
                return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());

    /** Those that wait for the thread: each once, of those on sale. */
    private final Set<String> waiting = ConcurrentHashMap.newKeySet();

    SoldOutRelay(SaleCache sales, QuantityStocks shards, RedisClient control) {
        this.sales = sales;
        this.shards = shards;
        word = new SoldOutWord(control);
    }

    /** Never blocks and never fails. */
    void mayBe(String productId) {
        if (waiting.add(productId)) {
            worker.execute(() -> tell(productId));
        }
    }

    private void tell(String productId) {
        waiting.remove(productId);
        try {
            if (sales.get(productId) instanceof Outcome.Value<Sale> known) {
                tell(known.value());
            }
        } catch (JedisException | ShardDownException | ShardUnknownException e) {
            LOG.debug("whether {} is sold out is left to stock-service", productId, e);
        }
    }

    private void tell(Sale sale) {
        String version = word.version(sale.productId());
        if (sale.placements().stream().allMatch(place -> isEmpty(place, sale.productId()))) {
            word.soldOut(sale.productId(), version);
        }
    }

    private boolean isEmpty(Placement place, String productId) {
        return switch (place.state()) {
            case RETIRED -> true;
            case RECOVERING -> false;
            case OPEN ->
                shards.get(place.shard()).left(productId, place.epoch()).orElse(1) == 0;
        };
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
