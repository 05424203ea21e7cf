package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.TransientDataAccessResourceException;

class OrderWriterIT extends RealService {

    @Autowired
    OrderWriter writer;

    @Autowired
    OrderSn orderSn;

    @Test
    void redelivery_of_the_last_unit_is_not_taken_for_a_full_ledger() {
        String product = sale(1);
        List<Reservation> last = reservations(product, 1, 0);
        handler.handle(last);

        writer.write(List.of(Order.unpaid(orderSn.next("user-0"), last.get(0), anyOffer(), 5)));

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertBooksBalance(product);
    }

    @Test
    void taken_order_number_is_an_error_and_changes_nothing() {
        String product = sale(5);
        Order first = order(product, "alice");
        Order second = Order.unpaid(first.orderSn(), reservation(product, "bob", 0), anyOffer(), 5);

        assertThatExceptionOfType(TransientDataAccessResourceException.class)
                .isThrownBy(() -> writer.write(List.of(second)))
                .withMessageContaining(first.orderSn());
        assertThat(sold(product)).isEqualTo(1);
        assertBooksBalance(product);
    }

    private static Offer anyOffer() {
        return new Offer("1", 0, 1, PRICE, 2, 900);
    }
}
