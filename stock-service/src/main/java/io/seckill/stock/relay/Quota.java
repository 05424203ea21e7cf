package io.seckill.stock.relay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many attempts the edges may let through, as it is written; each field null where missing.
 *
 * <p>An epoch begins for the units that are left, with {@code ceil(units * percent / 100)} of which
 * none is issued. Each edge leases a few attempts at a time, so attempts may be issued and never
 * made. While units are left the total is therefore raised whenever all of it is issued: a quota
 * slows a crowd, and never keeps a unit from being sold. Another percentage makes it anew for the
 * same units, but never less than what is issued.
 *
 * <p>A control Redis that lost its memory, or its last second, no longer knows what was issued. So an
 * epoch is open for one identity of it ({@code master_replid}, another one at each start and
 * promotion): nothing is issued of an earlier one, and the next turn begins another.
 */
record Quota(
        @Nullable String total,
        @Nullable String issued,
        @Nullable String epoch,
        @Nullable String units,
        @Nullable String openFor,
        @Nullable String percent) {

    /** Of the hash, in the order of the components. */
    static final String[] FIELDS = {"total", "issued", "epoch", "units", "open_for", "percent"};

    /** 15 digits are exact in the numbers of the edge's script, and so is every total made of these. */
    private static final String WHOLE = "0|[1-9][0-9]{0,14}";

    private static final String ATTEMPTS = "0|[1-9][0-9]{0,12}";
    private static final String UNITS = "0|[1-9][0-9]{0,9}";

    static Quota of(List<String> values) {
        return new Quota(
                values.get(0),
                values.get(1),
                values.get(2),
                values.get(3),
                values.get(4),
                values.get(5));
    }

    /** Does the control Redis of this identity know what was issued? */
    boolean isOpenFor(String identity) {
        return identity.equals(openFor)
                && fits(ATTEMPTS, issued)
                && fits(WHOLE, epoch)
                && fits(UNITS, units);
    }

    /**
     * The total that it should have while it is open; one that is no number is made anew.
     *
     * @param left units that are left now
     */
    long rightTotal(long percent, long left) {
        long share = share(number(units), percent);
        long atLeast = isOf(percent) ? Math.max(number(total), share) : share;
        long gone = number(issued);
        return left > 0 && gone >= atLeast ? gone + share(left, percent) : Math.max(gone, atLeast);
    }

    /** Was the total made by this percentage? */
    boolean isOf(long percent) {
        return Long.toString(percent).equals(this.percent);
    }

    /** Whole numbers only: the edges count attempts, and a rounded-down quota strands one. */
    static long share(long units, long percent) {
        return (units * percent + 99) / 100;
    }

    private static boolean fits(String shape, @Nullable String text) {
        return text != null && text.matches(shape);
    }

    private static long number(@Nullable String text) {
        return fits(WHOLE, text) ? Long.parseLong(text) : 0;
    }
}
