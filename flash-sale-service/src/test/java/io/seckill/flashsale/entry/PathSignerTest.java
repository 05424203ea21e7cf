package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.TokenKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

class PathSignerTest {

    private static final Path EXAMPLES = Path.of("..", "contracts", "examples");
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final long NOW_MS = 1_763_719_140_000L;

    static List<Path> valid() throws IOException {
        return examples("valid");
    }

    static List<Path> invalid() throws IOException {
        return examples("invalid");
    }

    /** The examples were made with Python's hmac; the edge's tests verify the same ones. */
    @ParameterizedTest
    @MethodSource("valid")
    void valid_example_is_what_is_signed(Path file) {
        Map<?, ?> example = json(file);
        String secret = secret((String) example.get("kid"));
        assertThat(sign(secret, ms(example, "signedAtMs"), example)).isEqualTo(example.get("path"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_example_is_never_signed(Path file) {
        Map<?, ?> example = json(file);
        assertThat(sign(secret("now"), ms(example, "nowMs"), example))
                .isNotEqualTo(example.get("path"));
    }

    @Test
    void path_of_another_user_product_or_key_is_another() {
        String path = signer(SECRET, NOW_MS).sign("alice", "518").path();

        assertThat(signer(SECRET, NOW_MS).sign("alicf", "518").path()).isNotEqualTo(path);
        assertThat(signer(SECRET, NOW_MS).sign("alice", "519").path()).isNotEqualTo(path);
        assertThat(signer("x".repeat(32), NOW_MS).sign("alice", "518").path()).isNotEqualTo(path);
    }

    @Test
    void expiry_is_in_a_minute() {
        PathSigner.SignedPath signed = signer(SECRET, NOW_MS).sign("alice", "518");

        assertThat(signed.expiresAt()).isEqualTo(Instant.ofEpochMilli(NOW_MS + 60_000));
        assertThat(signed.path()).startsWith(NOW_MS + 60_000 + "-");
    }

    private static String sign(String secret, long nowMs, Map<?, ?> example) {
        return signer(secret, nowMs)
                .sign((String) example.get("user"), (String) example.get("product"))
                .path();
    }

    private static PathSigner signer(String secret, long nowMs) {
        return new PathSigner(
                () -> List.of(new TokenKeyFile.Key("k1", secret)),
                Clock.fixed(Instant.ofEpochMilli(nowMs), ZoneOffset.UTC));
    }

    private static String secret(String kid) {
        return TokenKeyFile.read("token-keys", EXAMPLES.resolve("token/token-keys")).stream()
                .filter(key -> key.kid().equals(kid))
                .findFirst()
                .orElseThrow()
                .secret();
    }

    private static long ms(Map<?, ?> example, String field) {
        return ((Number) example.get(field)).longValue();
    }

    private static Map<?, ?> json(Path file) {
        return new JsonMapper().readValue(file.toFile(), Map.class);
    }

    private static List<Path> examples(String folder) throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES.resolve("path").resolve(folder))) {
            List<Path> found = files.sorted().toList();
            assertThat(found).as(folder).isNotEmpty();
            return found;
        }
    }
}
