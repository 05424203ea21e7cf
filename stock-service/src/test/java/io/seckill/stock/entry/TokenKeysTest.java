package io.seckill.stock.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import io.seckill.stock.Stock;
import io.seckill.stock.Tokens;
import io.seckill.testkit.KeyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class TokenKeysTest {

    private static final Path EXAMPLES = Path.of("..", "contracts", "examples", "token");
    private static final String OLD = "the-key-before-the-rotation-0123456789";
    private static final String LONG = "x".repeat(64);

    private final TokenKeys keys = TokenKeys.read(
            KeyFile.of("# of the tests", "", "k1 " + Stock.SECRET, "k0  " + OLD, "k2 " + LONG),
            Clock.systemUTC());

    @Test
    void token_of_any_key_of_the_file_gives_its_role() {
        assertThat(keys.role(Tokens.of("ops"))).contains("ops");
        assertThat(keys.role(Tokens.of("buyer"))).contains("buyer");
        assertThat(keys.role(sign("k0", OLD, claims("ops")))).contains("ops");
    }

    @Test
    void key_that_is_unknown_or_another_s_is_refused() {
        assertRefused(sign("k9", Stock.SECRET, claims("ops")));
        assertRefused(sign("k0", Stock.SECRET, claims("ops")));
        assertRefused(sign(null, Stock.SECRET, claims("ops")));
        assertRefused(sign("../k1", Stock.SECRET, claims("ops")));
    }

    @Test
    void other_algorithms_are_refused_even_with_the_right_key() {
        assertRefused(Tokens.sign("k2", LONG, JWSAlgorithm.HS512, claims("ops").build()));
        assertRefused(Tokens.sign("k2", LONG, JWSAlgorithm.HS384, claims("ops").build()));
        String unsigned = Base64URL.encode("{\"alg\":\"none\",\"kid\":\"k1\"}") + "."
                + Tokens.of("ops").split("\\.")[1] + ".";
        assertRefused(unsigned);
    }

    @Test
    void changed_claims_or_signature_are_refused() {
        String[] buyer = Tokens.of("buyer").split("\\.");
        String[] ops = Tokens.of("ops").split("\\.");
        assertRefused(buyer[0] + "." + ops[1] + "." + buyer[2]);
        assertRefused(ops[0] + "." + ops[1] + ".");
        assertRefused(ops[0] + "." + ops[1]);
    }

    @Test
    void claims_that_are_missing_or_out_of_time_are_refused() {
        Date now = new Date();
        Date past = Date.from(Instant.now().minusSeconds(5));
        Date future = Date.from(Instant.now().plusSeconds(60));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").expirationTime(past)));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").expirationTime(null)));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").issueTime(null)));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").notBeforeTime(future)));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").subject(null)));
        assertRefused(sign("k1", Stock.SECRET, claims("ops").subject("a b")));
        assertRefused(sign("k1", Stock.SECRET, claims("admin")));
        assertThat(keys.role(sign("k1", Stock.SECRET, claims("ops").notBeforeTime(now))))
                .contains("ops");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "null", "{}"})
    void text_that_is_no_token_is_refused(String text) {
        assertRefused(text);
    }

    @Test
    void huge_token_is_refused() {
        assertRefused(sign("k1", Stock.SECRET, claims("ops").claim("more", "x".repeat(5_000))));
    }

    @Test
    void key_file_that_cannot_be_used_is_named() {
        assertThatIllegalStateException()
                .isThrownBy(() -> TokenKeys.read(Path.of("/nowhere/token-keys"), Clock.systemUTC()))
                .withMessage("seckill.token-keys: /nowhere/token-keys: cannot be read");
    }

    static List<Path> validExamples() {
        return examples("valid");
    }

    static List<Path> invalidExamples() {
        return examples("invalid");
    }

    @ParameterizedTest
    @MethodSource("validExamples")
    void valid_example_gives_its_role(Path file) {
        Map<?, ?> example = json(file);
        assertThat(roleOf(example)).contains((String) example.get("role"));
    }

    @ParameterizedTest
    @MethodSource("invalidExamples")
    void invalid_example_is_refused(Path file) {
        assertThat(roleOf(json(file))).isEmpty();
    }

    private static Optional<String> roleOf(Map<?, ?> example) {
        Instant now = Instant.ofEpochSecond(((Number) example.get("nowS")).longValue());
        return TokenKeys.read(EXAMPLES.resolve("token-keys"), Clock.fixed(now, ZoneOffset.UTC))
                .role((String) example.get("token"));
    }

    private static Map<?, ?> json(Path file) {
        return new JsonMapper().readValue(file.toFile(), Map.class);
    }

    private static List<Path> examples(String folder) {
        try (Stream<Path> files = Files.list(EXAMPLES.resolve(folder))) {
            List<Path> found = files.sorted().toList();
            assertThat(found).as(folder).isNotEmpty();
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JWTClaimsSet.Builder claims(String role) {
        return Tokens.claims(role);
    }

    private static String sign(String kid, String secret, JWTClaimsSet.Builder claims) {
        return Tokens.sign(kid, secret, JWSAlgorithm.HS256, claims.build());
    }

    private void assertRefused(String token) {
        assertThat(keys.role(token)).isEmpty();
    }
}
