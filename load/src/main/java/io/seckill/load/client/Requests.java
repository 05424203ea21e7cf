package io.seckill.load.client;

import io.seckill.contracts.EdgeHeaders;

import java.nio.charset.StandardCharsets;

/**
 * The requests of a buyer as bytes on the wire; they differ from user to user in the token only.
 */
public final class Requests {

    private static final String END = "\r\n\r\n";

    private final byte[] before;
    private final byte[] after;

    private Requests(String method, String path, String more) {
        before = bytes(
                method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ");
        after = bytes(more + END);
    }

    public static Requests attempts(String productId) {
        return posts("/seckill/flash/sale/deduct?productId=" + productId);
    }

    public static Requests posts(String path) {
        return new Requests("POST", path, "\r\nContent-Length: 0");
    }

    public static Requests results(String productId) {
        return new Requests("GET", "/seckill/flash/sale/result?productId=" + productId, "");
    }

    public static Requests orders() {
        return new Requests("GET", "/seckill/orders", "");
    }

    /** The one of the user with this token (ASCII). */
    public byte[] of(byte[] token) {
        byte[] request = new byte[before.length + token.length + after.length];
        System.arraycopy(before, 0, request, 0, before.length);
        System.arraycopy(token, 0, request, before.length, token.length);
        System.arraycopy(after, 0, request, before.length + token.length, after.length);
        return request;
    }

    /** The public list of sales. */
    public static byte[] sales() {
        return bytes("GET /seckill/sales HTTP/1.1\r\nHost: 127.0.0.1" + END);
    }

    /** An attempt that says nobody's name. */
    public static byte[] anonymousAttempt(String productId) {
        return bytes("POST /seckill/flash/sale/deduct?productId=" + productId
                + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0" + END);
    }

    /** An attempt as an edge passes it on, for flash-sale-service itself. */
    public static byte[] passedOn(String productId, String userId) {
        return bytes("POST /seckill/flash/sale/deduct HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                + EdgeHeaders.USER + ": " + userId + "\r\n"
                + EdgeHeaders.PRODUCT + ": " + productId + "\r\n"
                + EdgeHeaders.QUANTITY + ": 1\r\nContent-Length: 0" + END);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
