package io.seckill.flashsale.entry;

import io.seckill.contracts.TokenKeyFile;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs the path under which a user may try a product for a minute; the edge verifies it. */
final class PathSigner {

    private static final Duration LIFE = Duration.ofSeconds(60);
    private static final String HMAC = "HmacSHA256";

    private final Supplier<List<TokenKeyFile.Key>> keys;
    private final Clock clock;

    /**
     * @param keys the first of them signs
     */
    PathSigner(Supplier<List<TokenKeyFile.Key>> keys, Clock clock) {
        this.keys = keys;
        this.clock = clock;
    }

    record SignedPath(String path, Instant expiresAt) {}

    SignedPath sign(String userId, String productId) {
        Instant expiresAt = Instant.ofEpochMilli(clock.millis()).plus(LIFE);
        long expiryMs = expiresAt.toEpochMilli();
        String text = "path|" + userId + "|" + productId + "|" + expiryMs;
        return new SignedPath(expiryMs + "-" + mac(text), expiresAt);
    }

    private String mac(String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            byte[] secret = keys.get().get(0).secret().getBytes(StandardCharsets.US_ASCII);
            mac.init(new SecretKeySpec(secret, HMAC));
            byte[] signed = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(signed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
