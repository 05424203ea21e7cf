package io.seckill.contracts;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The shapes of identifiers. Whatever does not fit never reaches a key, a row or a log line. */
public final class Ids {

    /** A regular expression, for constraints that must be constants. */
    public static final String PRODUCT = "[1-9][0-9]{0,17}";

    /** The product that flash-sale-service sells to itself while it warms up; no sale may be of it. */
    public static final String WARM_UP_PRODUCT = "918273645546372819";

    private static final Pattern PRODUCT_ID = Pattern.compile(PRODUCT);
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_.@-]{1,64}");
    private static final Pattern RESERVATION = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern ORDER_SN = Pattern.compile("[0-9]{24}");

    private Ids() {}

    public static boolean isProduct(@Nullable String value) {
        return fits(PRODUCT_ID, value);
    }

    public static boolean isUser(@Nullable String value) {
        return fits(USER, value);
    }

    public static boolean isReservation(@Nullable String value) {
        return fits(RESERVATION, value);
    }

    public static boolean isOrderSn(@Nullable String value) {
        return fits(ORDER_SN, value);
    }

    private static boolean fits(Pattern pattern, @Nullable String value) {
        return value != null && pattern.matcher(value).matches();
    }
}
