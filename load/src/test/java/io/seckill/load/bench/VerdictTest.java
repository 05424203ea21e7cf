package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SaleAdmin.ProductBooks;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {

    @Test
    void balanced_books_with_as_many_orders_as_accepted_are_right() {
        assertThat(Verdict.of(books(true, 10, 0, 0), 10)).isEmpty();
    }

    @Test
    void one_duplicate_is_wrong() {
        assertThat(Verdict.of(books(false, 10, 1, 0), 10)).contains("1 users with two orders");
    }

    @Test
    void one_lost_order_is_wrong() {
        assertThat(Verdict.of(books(false, 9, 0, 1), 10))
                .contains("1 reservations lost", "9 orders for 10 accepted");
    }

    @Test
    void one_order_too_few_is_wrong_though_the_books_balance() {
        assertThat(Verdict.of(books(true, 9, 0, 0), 10)).isEqualTo("9 orders for 10 accepted");
    }

    @Test
    void books_that_do_not_balance_are_wrong_whatever_else_they_say() {
        assertThat(Verdict.of(books(false, 10, 0, 0), 10)).isEqualTo("the books do not balance");
    }

    @Test
    void books_of_several_sales_are_judged_together() {
        ProductBooks one = books(true, 4, 0, 0).product();
        ProductBooks other = books(true, 6, 0, 1).product();
        Books both = new Books(true, List.of(one, other), Map.of());
        assertThat(Verdict.of(both, 10)).isEqualTo("1 reservations lost");
        assertThat(Verdict.of(both, 11)).contains("10 orders for 11 accepted");
    }

    @Test
    void an_order_of_an_attempt_that_was_busy_is_right_and_one_more_is_wrong() {
        assertThat(Verdict.of(books(true, 11, 0, 0), 10, 11)).isEmpty();
        assertThat(Verdict.of(books(true, 12, 0, 0), 10, 11))
                .isEqualTo("12 orders for 10 accepted");
    }

    private static Books books(boolean balanced, long orders, long duplicates, long lost) {
        ProductBooks product =
                new ProductBooks("1", 10, List.of(), orders, duplicates, 0, lost, 0, List.of());
        return new Books(balanced, List.of(product), Map.of());
    }
}
