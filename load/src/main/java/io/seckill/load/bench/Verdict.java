package io.seckill.load.bench;

import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SaleAdmin.ProductBooks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What the books of a sale, or of several, say against it. */
final class Verdict {

    private Verdict() {}

    /** Empty when all is as it must be, {@code sold} units in as many orders included. */
    static String of(Books books, long sold) {
        return of(books, sold, sold);
    }

    /** Some answers were BUSY: nobody knows whether these got a unit. */
    static String of(Books books, long least, long most) {
        List<String> wrong = new ArrayList<>();
        books.products().forEach(product -> wrong.addAll(product.differences()));
        count(wrong, books, ProductBooks::oversold, "units oversold");
        count(wrong, books, ProductBooks::duplicateBuyers, "users with two orders");
        count(wrong, books, ProductBooks::lostReservations, "reservations lost");
        count(wrong, books, ProductBooks::unexpectedOrders, "orders of no reservation");
        long orders = sum(books, ProductBooks::liveOrders);
        if (orders < least || orders > most) {
            wrong.add(orders + " orders for " + least + " accepted");
        }
        if (!books.balanced() && wrong.isEmpty()) {
            wrong.add("the books do not balance");
        }
        return String.join("; ", wrong);
    }

    private static void count(
            List<String> wrong, Books books, ToLongFunction<ProductBooks> figure, String what) {
        long found = sum(books, figure);
        if (found > 0) {
            wrong.add(found + " " + what);
        }
    }

    private static long sum(Books books, ToLongFunction<ProductBooks> figure) {
        return books.products().stream().mapToLong(figure).sum();
    }
}
