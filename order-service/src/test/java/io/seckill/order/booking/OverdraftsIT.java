package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import io.seckill.testkit.Metrics;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
class OverdraftsIT extends RealService {

    @Autowired
    OrderWriter writer;

    @Autowired
    TransactionTemplate template;

    @Test
    void shard_that_sold_too_much_is_named_and_counted_once_with_all_that_follows(
            CapturedOutput log) {
        String product = sale(1);
        Metrics before = metrics();
        List<Reservation> all = reservations(product, 4, 0);
        handler.handle(all.subList(0, 1));
        assertThat(log).doesNotContain(words(product));

        template.executeWithoutResult(status -> {
            writer.write(List.of(Order.unpaid("9".repeat(24), all.get(1), anyOffer(), 5)));
            status.setRollbackOnly();
        });
        assertThat(log).doesNotContain(words(product));
        assertThat(counted(before, "seckill_ledger_full_total")).isZero();

        handler.handle(all.subList(1, 4));

        await().untilAsserted(
                        () -> assertThat(log.getAll().split(words(product), -1)).hasSize(2));
        assertThat(counted(before, "seckill_ledger_full_total")).isEqualTo(3);
        assertThat(counted(before, "seckill_lost_total")).isEqualTo(1);
        assertThat(counted(before, "seckill_lost_known_total")).isEqualTo(2);
        assertThat(sql.queryForList(
                        "SELECT state FROM shard_ledger WHERE product_id = ?",
                        String.class,
                        product))
                .containsExactly("RECOVERING");
        assertBooksBalance(product);
    }

    private static Offer anyOffer() {
        return new Offer("1", 0, 1, PRICE, 2, 900);
    }

    private long counted(Metrics before, String name) {
        return metrics().sum(name) - before.sum(name);
    }

    private static String words(String product) {
        return "shard 0 sold more of product " + product + " than its ledger has and is rebuilt";
    }
}
