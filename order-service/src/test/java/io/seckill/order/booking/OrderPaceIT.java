package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OrderPaceIT extends RealService {

    @AfterEach
    void fullSpeed() {
        setLimit("500");
    }

    @Test
    void orders_created_in_a_second_never_pass_the_limit_and_none_is_lost() throws Exception {
        String product = sale(100);
        List<Reservation> all = reservations(product, 60, 0);
        setLimit("20");

        atOnce(List.of(handling(all.subList(0, 30)), handling(all.subList(30, 60))));

        assertThat(count(product, "UNPAID")).isEqualTo(60);
        assertThat(sql.queryForList(
                        "SELECT COUNT(*) FROM orders WHERE product_id = ?"
                                + " GROUP BY created_at_ms DIV 1000",
                        Long.class,
                        product))
                .hasSizeGreaterThanOrEqualTo(3)
                .allMatch(orders -> orders <= 20);
        assertBooksBalance(product);
    }

    private Callable<Object> handling(List<Reservation> batch) {
        return () -> {
            handler.handle(batch);
            return null;
        };
    }
}
