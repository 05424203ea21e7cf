package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PathSignerTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final long EXPIRY_MS = 1_763_719_200_000L;

    private final PathSigner signer = new PathSigner(
            SECRET, Clock.fixed(Instant.ofEpochMilli(EXPIRY_MS - 60_000), ZoneOffset.UTC));

    /** The vector was made with Python's hmac; the edge's tests hold the same one. */
    @Test
    void path_is_the_expiry_in_a_minute_and_the_mac_over_who_and_what() {
        PathSigner.SignedPath signed = signer.sign("alice", "518");

        assertThat(signed.path())
                .isEqualTo(EXPIRY_MS
                        + "-30e2897ae3e7c33d9d2bc0fa4f02112c3b9a456733915394013021015e50f918");
        assertThat(signed.expiresAt()).isEqualTo(Instant.ofEpochMilli(EXPIRY_MS));
    }

    @Test
    void path_of_another_user_product_or_key_is_another() {
        String path = signer.sign("alice", "518").path();
        PathSigner otherKey = new PathSigner(
                "x".repeat(32),
                Clock.fixed(Instant.ofEpochMilli(EXPIRY_MS - 60_000), ZoneOffset.UTC));

        assertThat(signer.sign("alicf", "518").path()).isNotEqualTo(path);
        assertThat(signer.sign("alice", "519").path()).isNotEqualTo(path);
        assertThat(otherKey.sign("alice", "518").path()).isNotEqualTo(path);
    }
}
