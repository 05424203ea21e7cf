package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Buyers;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each return in hand ends in one counter, and counters.json's equation holds over all of them. */
class ReturnCountersIT extends ReturnsCase {

    @Test
    void every_end_of_a_return_is_counted_once_and_the_equation_holds() {
        stock.withoutRecovery(this::countEachEnd); // it would mend what rebuilt() pretends
    }

    private void countEachEnd() {
        Buyers buyers = sale("321", 9);
        StockReturn returned = buyers.giveBack(buyers.take(0, "a", 1), 0, "a", Action.RETURN);
        StockReturn burned = buyers.giveBack(buyers.take(0, "b", 1), 0, "b", Action.BURN);
        StockReturn older = buyers.giveBack(Buyers.newId(), 1, "c", Action.RETURN);
        rebuilt("321", 1, 2);
        StockReturn retired = buyers.giveBack(buyers.take(2, "d", 1), 2, "d", Action.RETURN);
        ledger("321", 2, "RETIRED");
        StockReturn forged =
                new Buyers(stock, "399").giveBack(Buyers.newId(), 0, "mallory", Action.RETURN);
        Metrics before = stock.metrics();

        stock.bean(ReturnService.class)
                .settle(List.of(returned, burned, burned, older, retired, forged));

        Metrics after = stock.metrics();
        assertThat(grown("returns", before, after)).isEqualTo(6);
        assertThat(grown("returned", before, after)).isEqualTo(1);
        assertThat(grown("burned", before, after)).isEqualTo(1);
        assertThat(grown("older", before, after)).isEqualTo(1);
        assertThat(grown("retired", before, after)).isEqualTo(1);
        assertThat(grown("repeated", before, after)).isEqualTo(1);
        assertThat(grown("parked", before, after)).isEqualTo(1);
        assertThat(after.objections()).isEmpty();
    }

    /** As a message: the consumer itself parks what it cannot read. */
    @Test
    void unreadable_message_is_counted_as_parked() {
        Metrics before = stock.metrics();

        send(List.of("{\"reservationId\":\"322-no-json"));

        await().atMost(Duration.ofSeconds(20))
                .until(() -> grown("parked", before, stock.metrics()) == 1);
        assertThat(grown("returns", before, stock.metrics())).isEqualTo(1);
        assertThat(stock.metrics().objections()).isEmpty();
    }

    @Test
    void waiting_return_is_counted_at_each_try_and_once_when_it_is_settled() {
        Buyers buyers = sale("323", 3);
        StockReturn message = buyers.giveBack(buyers.take(1, "a", 1), 1, "a", Action.RETURN);
        Metrics before = stock.metrics();
        stock.shards.get(1).kill();
        try {
            stock.bean(ReturnService.class).settle(List.of(message));
            assertThat(grown("waiting", before, stock.metrics())).isPositive();
            assertThat(grown("returned", before, stock.metrics())).isZero();
        } finally {
            stock.shards.get(1).start();
        }
        awaitOutcome(message.reservationId(), "RETURNED");
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            Metrics after = stock.metrics();
            assertThat(grown("returned", before, after)).isEqualTo(1);
            assertThat(after.objections()).isEmpty();
        });
    }
}
