package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Bound;
import io.seckill.stock.Buyers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many returns a second the service settles, as its consumer hands them over. */
class ReturnSpeedIT extends ReturnsCase {

    private static final int BATCH = 256;
    private static final int BATCHES = 80;

    @Test
    void returns_of_a_wave_of_closings_are_settled_in_batches() {
        Buyers buyers = sale("341", 3 * BATCH * BATCHES);
        List<StockReturn> all = IntStream.range(0, BATCH * BATCHES)
                .parallel()
                .mapToObj(i -> giveBack(buyers, i))
                .toList();
        settle(all.subList(0, BATCH * BATCHES / 4)); // scripts known, code compiled

        long startNs = System.nanoTime();
        settle(all.subList(BATCH * BATCHES / 4, all.size()));
        double seconds = (System.nanoTime() - startNs) / 1e9;

        Bound.least("returns settled", 0.75 * all.size() / seconds, 5_000, "per second");
        await().atMost(Duration.ofSeconds(20)).until(() -> waiting("341") == 0);
        assertThat(stock.available("341")).allMatch(Integer.toString(BATCH * BATCHES)::equals);
    }

    private static StockReturn giveBack(Buyers buyers, int i) {
        String user = "u-" + i;
        String id = buyers.take(i % 3, user, 1);
        buyers.order(id, i % 3, user, 1);
        buyers.end(id);
        return buyers.giveBack(id, i % 3, user, Action.RETURN);
    }

    /** Batches of four threads at once, as StockConfiguration has the consumer. */
    private void settle(List<StockReturn> some) {
        List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.runAsync(() -> {
                    for (int from = thread * BATCH; from < some.size(); from += 4 * BATCH) {
                        stock.bean(ReturnService.class).settle(some.subList(from, from + BATCH));
                    }
                }))
                .toList();
        threads.forEach(CompletableFuture::join);
    }
}
