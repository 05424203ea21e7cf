package io.seckill.contracts;

/** Headers the edge sets after it has checked what they say; services trust them, and only them. */
public final class EdgeHeaders {

    public static final String USER = "X-Seckill-User";
    public static final String PRODUCT = "X-Seckill-Product";
    public static final String QUANTITY = "X-Seckill-Quantity";
    public static final String CODE = "X-Seckill-Code";
    public static final String SOLD_OUT = "X-Seckill-Sold-Out";

    private EdgeHeaders() {}
}
