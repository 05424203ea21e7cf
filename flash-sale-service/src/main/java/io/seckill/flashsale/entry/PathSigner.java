package io.seckill.flashsale.entry;

import io.seckill.contracts.Hmac;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.ratelimit.SeckillRateLimit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** Signs the path under which a user may try a product for a minute; the edge verifies it. */
class PathSigner {

    private static final Duration LIFE = Duration.ofSeconds(60);

    /** Of all instances; as many as one edge node lets through by default. */
    private static final int PATHS_PER_SECOND = 10_000;

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

    /** Waits for one round trip to the control Redis; TOO_MANY_REQUESTS. */
    @SeckillRateLimit(key = "path", permitsPerSecond = PATHS_PER_SECOND)
    SignedPath sign(String userId, String productId) {
        Instant expiresAt = Instant.ofEpochMilli(clock.millis()).plus(LIFE);
        long expiryMs = expiresAt.toEpochMilli();
        String text = "path|" + userId + "|" + productId + "|" + expiryMs;
        return new SignedPath(expiryMs + "-" + Hmac.of(keys.get().get(0), text), expiresAt);
    }
}
