package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.Ended;
import io.seckill.quantity.Mark;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Buyers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With the units goes how their order ended, for the buyer who asks the shard. */
class EndedIT extends ReturnsCase {

    @ParameterizedTest
    @CsvSource({
        "351, CANCELLED, PAY_TIMEOUT, CANCELLED, RETURN",
        "352, REFUNDED, PAY_TIMEOUT, CANCELLED, RETURN",
        "354, REJECTED, DUPLICATE_USER, REJECTED, RETURN",
        "355, REJECTED, LEDGER_FULL, REJECTED, BURN"
    })
    void buyer_finds_in_the_shard_how_the_order_of_the_units_ended(
            String product, String row, String reason, Status told, Action action) {
        Buyers buyers = sale(product, 3);
        String id = ended(buyers, row, reason);

        settle(buyers.giveBack(id, 0, "alice", action));
        settle(buyers.giveBack(id, 0, "alice", action));

        String orderSn = told == Status.REJECTED ? null : orderSn(id);
        assertThat(found(product)).contains(new Ended(id, 1, told, orderSn, reason));
    }

    @Test
    void return_that_waited_for_its_shard_tells_it_too() {
        Buyers buyers = sale("356", 3);
        String id = ended(buyers, "CANCELLED", "PAY_TIMEOUT");
        stock.shards.get(0).kill();
        try {
            settle(buyers.giveBack(id, 0, "alice", Action.RETURN));
            assertThat(outcome(id)).containsExactly("WAITING");
        } finally {
            stock.shards.get(0).start();
        }
        awaitOutcome(id, "RETURNED");
        assertThat(found("356"))
                .contains(new Ended(id, 1, Status.CANCELLED, orderSn(id), "PAY_TIMEOUT"));
    }

    @Test
    void buyer_whose_units_a_rebuild_had_counted_finds_it_there_too() {
        String id = endedBeforeRebuild("358", "alice");
        assertThat(found("358"))
                .contains(new Ended(id, 1, Status.CANCELLED, orderSn(id), "PAY_TIMEOUT"));
    }

    @Test
    void nobody_is_told_how_the_order_of_somebody_else_ended() {
        endedBeforeRebuild("359", "mallory");
        assertThat(mark("359", "mallory").ended()).isEmpty();
        assertThat(found("359")).isEmpty();
    }

    /** An order of alice's, of which the shard kept nothing; its return names this user. */
    private String endedBeforeRebuild(String product, String user) {
        Buyers buyers = sale(product, 3);
        String id = Buyers.newId();
        order(buyers, id, "CANCELLED", "PAY_TIMEOUT");
        stock.withoutRecovery(() -> {
            stock.sql().update("UPDATE shard_ledger SET epoch = 2 WHERE product_id = ?", product);
            rebuilt(product, 0, 2);
            settle(buyers.giveBack(id, 0, user, Action.RETURN));
        });
        assertThat(outcome(id)).containsExactly("OLDER");
        return id;
    }

    @Test
    void return_of_what_has_no_order_or_a_live_one_tells_nothing() {
        Buyers buyers = sale("357", 3);
        String none = buyers.take(0, "alice", 1);
        settle(buyers.giveBack(none, 0, "alice", Action.RETURN));
        assertThat(found("357")).isEmpty();
        String live = buyers.buy(0, "alice", 1);
        settle(buyers.giveBack(live, 0, "alice", Action.RETURN));
        assertThat(found("357")).isEmpty();
    }

    private String ended(Buyers buyers, String status, String reason) {
        String id = buyers.take(0, "alice", 1);
        order(buyers, id, status, reason);
        return id;
    }

    private void order(Buyers buyers, String id, String status, String reason) {
        buyers.order(id, 0, "alice", 1);
        stock.sql()
                .update(
                        "UPDATE orders SET status = ?, reason = ?, final_epoch = 1"
                                + " WHERE reservation_id = ?",
                        status,
                        reason,
                        id);
    }

    private void settle(StockReturn message) {
        stock.bean(ReturnService.class).settle(List.of(message));
    }

    private Optional<Ended> found(String product) {
        return mark(product, "alice").ended();
    }

    private Mark mark(String product, String user) {
        return stock.bean(QuantityStocks.class).get(0).markAsync(product, user).join();
    }

    private String orderSn(String id) {
        return stock.sql()
                .queryForObject(
                        "SELECT order_sn FROM orders WHERE reservation_id = ?", String.class, id);
    }
}
