package io.seckill.order.query;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in a user's orders, from which on the older ones are asked for: {@code
 * CREATEDATMS-ORDERSN}. It names no user, and of somebody else's orders it shows nothing.
 */
public record Place(long createdAtMs, String orderSn) {

    /** Before all. */
    public static final Place NEWEST = new Place(Long.MAX_VALUE, "");

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,14})-([0-9]{24})");

    /** Empty: it is none. */
    public static Optional<Place> of(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches()
                ? Optional.of(new Place(Long.parseLong(parts.group(1)), parts.group(2)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return createdAtMs + "-" + orderSn;
    }
}
