package io.seckill.contracts;

/**
 * How much the platform takes on at most: the rows of bounds.json, which Lua reads, as constants
 * that an annotation may name. A test holds the two together.
 */
public final class Bounds {

    /** Sales at once, those that have ended too; stock-service refuses one more. */
    public static final int SALES = 1_000;

    public static final long STOCK_UNITS = 1_000_000_000;
    public static final long PRICE_CENTS = 1_000_000_000_000L;
    public static final int PER_USER_LIMIT_UNITS = 1_000;
    public static final int PAY_WITHIN_S = 7 * 86_400;

    /** A sale's name, in UTF-8. */
    public static final int NAME_BYTES = 200;

    /** What one attempt may ask for, whatever its sale allows. */
    public static final int QUANTITY_UNITS = 9_999;

    /** Of a user's own orders, in one answer. */
    public static final int PAGE_ORDERS = 100;

    private Bounds() {}
}
