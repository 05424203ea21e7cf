package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/** Headers the edge sets after it has checked what they say; services trust them, and only them. */
public final class EdgeHeaders {

    public static final String REQUEST = "X-Request-Id";
    public static final String USER = "X-Seckill-User";
    public static final String PRODUCT = "X-Seckill-Product";
    public static final String QUANTITY = "X-Seckill-Quantity";
    public static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    public static final String CODE = "X-Seckill-Code";
    public static final String SOLD_OUT = "X-Seckill-Sold-Out";

    private static final Shape WHOLE = new Shape("[0-9]", 1, 9);
    private static final Shape REQUEST_ID = new Shape("[A-Za-z0-9._-]", 8, 64);
    private static final Shape KEY = new Shape("[A-Za-z0-9._:-]", 1, 64);

    private EdgeHeaders() {}

    /** Whether {@link #IDEMPOTENCY_KEY} may say this: what a buyer's program calls its attempt. */
    public static boolean isIdempotencyKey(String value) {
        return KEY.fits(value);
    }

    /** Whether {@link #REQUEST} may say this; anything else is as if nothing was said. */
    public static boolean isRequestId(@Nullable String value) {
        return REQUEST_ID.fits(value);
    }

    /** Whether {@link #QUANTITY} may say this: a plain whole number from 1 to its bound. */
    public static boolean isQuantity(String value) {
        return WHOLE.fitsPlain(value) && Integer.parseInt(value) <= Bounds.QUANTITY_UNITS;
    }
}
