package io.seckill.load.bench;

import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SaleAdmin.ProductBooks;

import java.util.ArrayList;
import java.util.List;

/** What a sale's books say against it. */
final class Verdict {

    private Verdict() {}

    /** Empty when all is as it must be, {@code sold} units in as many orders included. */
    static String of(Books books, long sold) {
        ProductBooks product = books.product();
        List<String> wrong = new ArrayList<>(product.differences());
        count(wrong, product.oversold(), "units oversold");
        count(wrong, product.duplicateBuyers(), "users with two orders");
        count(wrong, product.lostReservations(), "reservations lost");
        count(wrong, product.unexpectedOrders(), "orders of no reservation");
        if (product.liveOrders() != sold) {
            wrong.add(product.liveOrders() + " orders for " + sold + " accepted");
        }
        if (!books.balanced() && wrong.isEmpty()) {
            wrong.add("the books do not balance");
        }
        return String.join("; ", wrong);
    }

    private static void count(List<String> wrong, long found, String what) {
        if (found > 0) {
            wrong.add(found + " " + what);
        }
    }
}
