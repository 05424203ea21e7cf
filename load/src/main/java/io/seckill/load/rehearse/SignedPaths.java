package io.seckill.load.rehearse;

import io.seckill.contracts.TokenKeyFile;
import io.seckill.load.copy.RunningCopy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs paths as flash-sale-service does, which a light client need not read from its answers. */
final class SignedPaths {

    private static final String HMAC = "HmacSHA256";
    private static final long LIFE_MS = Duration.ofMinutes(5).toMillis();

    private final Mac mac;
    private final String productId;
    private final long expiryMs;

    /** With the key that signs the copy's tokens too. */
    SignedPaths(RunningCopy copy, String productId, long nowMs) {
        String secret =
                TokenKeyFile.read("SECKILL_TOKEN_KEYS", copy.tokenKeys()).get(0).secret();
        this.productId = productId;
        expiryMs = nowMs + LIFE_MS;
        try {
            mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no " + HMAC, e);
        }
    }

    String of(String user) {
        String text = "path|" + user + "|" + productId + "|" + expiryMs;
        byte[] signed = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        return expiryMs + "-" + HexFormat.of().formatHex(signed);
    }
}
