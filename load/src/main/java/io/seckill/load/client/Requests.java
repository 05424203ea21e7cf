package io.seckill.load.client;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The requests of a buyer as bytes on the wire. */
public final class Requests {

    private Requests() {}

    public static byte[] attempt(String productId, String token) {
        return of("POST", "/seckill/flash/sale/deduct?productId=" + productId, token);
    }

    public static byte[] result(String productId, String token) {
        return of("GET", "/seckill/flash/sale/result?productId=" + productId, token);
    }

    /** Without a token when it is null. */
    public static byte[] of(String method, String path, @Nullable String token) {
        String authorization = token == null ? "" : "Authorization: Bearer " + token + "\r\n";
        String length = method.equals("POST") ? "Content-Length: 0\r\n" : "";
        return (method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + authorization + length
                        + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
