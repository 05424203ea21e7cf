package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/** The shapes of identifiers. Whatever does not fit never reaches a key, a row or a log line. */
public final class Ids {

    /** A regular expression, for constraints that must be constants. */
    public static final String PRODUCT = "[1-9][0-9]{0,17}";

    /** The product that flash-sale-service sells to itself while it warms up; no sale may be of it. */
    public static final String WARM_UP_PRODUCT = "918273645546372819";

    private static final Shape PRODUCT_ID = new Shape("[0-9]", 1, 18);
    private static final Shape USER = new Shape("[A-Za-z0-9_.@-]", 1, 64);
    private static final Shape RESERVATION = new Shape("[0-9a-f]", 32, 32);
    private static final Shape ORDER_SN = new Shape("[0-9]", 24, 24);

    private Ids() {}

    public static boolean isProduct(@Nullable String value) {
        return PRODUCT_ID.fitsPlain(value);
    }

    public static boolean isUser(@Nullable String value) {
        return USER.fits(value);
    }

    public static boolean isReservation(@Nullable String value) {
        return RESERVATION.fits(value);
    }

    public static boolean isOrderSn(@Nullable String value) {
        return ORDER_SN.fits(value);
    }
}
