package io.seckill.load.rehearse;

import io.seckill.contracts.Limits;

import java.util.List;
import java.util.Locale;

/** A limit to set, what it is now, and why. Pure: the same findings give the same advice. */
record Advice(String command, long value, long now, String why) {

    /** Of what was measured at its best: the machine also answers polls, pays and closes. */
    private static final double EDGE_SHARE = 0.9;

    private static final double PRODUCT_SHARE = 0.8;
    private static final double ORDER_SHARE = 0.8;

    /** What is in force before: of all products, of this one, and of orders. */
    record Now(long globalQps, long productQps, long orderRate) {}

    static List<Advice> of(String productId, Findings found, Now now) {
        long edge = rounded(EDGE_SHARE * found.accepted());
        long orders = rounded(ORDER_SHARE * found.landed());
        long product = Math.min(rounded(PRODUCT_SHARE * edge), orders);
        return List.of(
                new Advice(
                        "limits set " + Limits.GLOBAL_QPS,
                        edge,
                        now.globalQps(),
                        "nine tenths of the " + figure(found.accepted())
                                + "/s accepted here; more only queue behind them, where the edge refuses "
                                + figure(found.refused()) + "/s. It counts per edge node."),
                new Advice(
                        "limits product " + productId + " " + Limits.PRODUCT_QPS,
                        product,
                        now.productQps(),
                        "at most four fifths of that, so that a crowd on this product leaves the other"
                                + " sales a fifth; and no more than orders land, so that nobody who"
                                + " was accepted is rejected for the backlog."),
                new Advice(
                        "limits set " + Limits.ORDER_RATE_PER_SECOND,
                        orders,
                        now.orderRate(),
                        "four fifths of the " + figure(found.landed())
                                + "/s that landed while buyers came in, so that payments and closings find"
                                + " the database free"
                                + (found.landingKeptUp()
                                        ? "; landing kept up with what was accepted and may do more."
                                        : ".")));
    }

    boolean isAsItIs() {
        return value == now;
    }

    /** Down to two digits, for no measurement here has more; at least 1, for 0 closes. */
    static long rounded(double value) {
        long whole = Math.max(1, (long) value);
        long unit = 1;
        while (whole / unit >= 100) {
            unit *= 10;
        }
        return whole / unit * unit;
    }

    static String figure(double value) {
        return String.format(Locale.ROOT, "%,d", Math.round(value));
    }
}
