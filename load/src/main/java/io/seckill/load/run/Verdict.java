package io.seckill.load.run;

import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SaleAdmin.ProductBooks;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether a run holds: what the crowd was told against the books. Pure, so that a kept run can be
 * judged again.
 *
 * @param oversold orders, or promises to buyers, beyond the stock
 * @param undersold units left although so many buyers were told that there is none
 * @param duplicates users with more than one live order or held reservation
 * @param lost reservations that can become no order any more, or promises without an order
 * @param broken what does not hold, in words; empty: the run holds
 */
record Verdict(
        long oversold,
        long undersold,
        long duplicates,
        long lost,
        boolean balanced,
        List<String> broken) {

    /**
     * A buyer who gave up, told to come again, says that a limit was low. This is a fault while
     * units are left and limits are those that the run put, which let its rate pass; not in a
     * storm, whose limit is there to refuse.
     *
     * @param isLimited somebody changed a limit meanwhile
     */
    static Verdict of(Outcome told, Books books, Plan plan, boolean isLimited) {
        ProductBooks product = books.product();
        long stock = plan.stock();
        long promised = told.accepted() - told.rejected();
        Verdict counted = new Verdict(
                Math.max(product.oversold(), Math.max(promised, product.liveOrders()) - stock),
                Math.min(product.unitsLeft(), told.emptyHanded()),
                product.duplicateBuyers(),
                Math.max(product.lostReservations(), promised - product.liveOrders()),
                books.balanced(),
                List.of());
        boolean mayRefuse = isLimited || plan.crowd() == Crowd.RETRY_STORM;
        long kept = mayRefuse ? 0 : Math.min(product.unitsLeft(), told.gaveUp());
        return counted.withReasons(told, product, kept);
    }

    boolean holds() {
        return broken.isEmpty();
    }

    private Verdict withReasons(Outcome told, ProductBooks product, long kept) {
        List<String> reasons = new ArrayList<>(told.breached());
        if (told.generatorWasTheLimit()) {
            reasons.add("the generator was the limit: it could not start all arrivals in time");
        }
        addIfAny(reasons, oversold, "oversold");
        addIfAny(reasons, undersold, "left although as many buyers were told that there is none");
        addIfAny(reasons, kept, "left although as many buyers gave up who were told to come again");
        addIfAny(reasons, duplicates, "users bought more than once");
        addIfAny(reasons, lost, "accepted attempts are lost");
        addIfAny(reasons, told.noResult(), "accepted attempts got no final word");
        if (!balanced) {
            reasons.add("the books do not balance");
        }
        reasons.addAll(product.differences());
        return new Verdict(
                Math.max(0, oversold), undersold, duplicates, Math.max(0, lost), balanced, reasons);
    }

    private static void addIfAny(List<String> reasons, long count, String what) {
        if (count > 0) {
            reasons.add(count + " " + what);
        }
    }
}
