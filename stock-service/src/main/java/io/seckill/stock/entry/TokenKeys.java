package io.seckill.stock.entry;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.SignedJWT;
import io.seckill.contracts.Ids;
import io.seckill.contracts.LiveKeys;
import io.seckill.contracts.TokenKeyFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoublePredicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the key file and the check of a token against them; contracts/README.md has the
 * rules.
 *
 * <p>HS256 only, whatever a token asks for; the token names its key by {@code kid}. A file that
 * cannot be used stops the service at start.
 */
public final class TokenKeys {

    private static final String BUYER = "buyer";
    private static final Set<String> ROLES = Set.of(BUYER, "ops");
    private static final String ISSUER = "shop";
    private static final int MAX_TOKEN_CHARS = 4096;
    private static final double MAX_SECONDS = 1e12;

    /** The library passes over characters that are not base64url; the edge does not. */
    private static final Pattern SHAPE = Pattern.compile("[\\w-]+\\.[\\w-]+\\.[\\w-]+");

    private final Supplier<List<TokenKeyFile.Key>> keys;
    private final Clock clock;

    private volatile Verifiers verifiers;

    /** Of exactly this list of keys. */
    private record Verifiers(List<TokenKeyFile.Key> keys, Map<String, MACVerifier> byKid) {

        static Verifiers of(List<TokenKeyFile.Key> keys) {
            Map<String, MACVerifier> byKid = new HashMap<>();
            keys.forEach(key -> byKid.put(key.kid(), verifier(key)));
            return new Verifiers(keys, Map.copyOf(byKid));
        }
    }

    private TokenKeys(Supplier<List<TokenKeyFile.Key>> keys, Clock clock) {
        this.keys = keys;
        this.clock = clock;
        verifiers = Verifiers.of(keys.get());
    }

    public static TokenKeys read(Path file, Clock clock) {
        return new TokenKeys(new LiveKeys("seckill.token-keys", file, clock), clock);
    }

    private @Nullable MACVerifier verifier(String kid) {
        List<TokenKeyFile.Key> latest = keys.get();
        if (!latest.equals(verifiers.keys())) {
            verifiers = Verifiers.of(latest);
        }
        return verifiers.byKid().get(kid);
    }

    /** The role the token gives, a buyer's if it names none; empty when anything is wrong. */
    Optional<String> role(String token) {
        if (token.length() > MAX_TOKEN_CHARS || !SHAPE.matcher(token).matches()) {
            return Optional.empty();
        }
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            Map<String, Object> claims = jwt.getPayload().toJSONObject();
            return claims != null && isSigned(jwt) && isValid(claims)
                    ? role(claims)
                    : Optional.empty();
        } catch (ParseException | JOSEException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The algorithm is ours and the key is named; a critical header we do not know is a no. A
     * signature is written in one way only, so that no two texts are the same token.
     */
    private boolean isSigned(SignedJWT jwt) throws JOSEException {
        String kid = jwt.getHeader().getKeyID();
        MACVerifier verifier = kid == null ? null : verifier(kid);
        Base64URL signature = jwt.getSignature();
        return verifier != null
                && JWSAlgorithm.HS256.equals(jwt.getHeader().getAlgorithm())
                && signature.equals(Base64URL.encode(signature.decode()))
                && jwt.verify(verifier);
    }

    /** Who, of whom and until when; both times must be there, so that no token lives for ever. */
    private boolean isValid(Map<String, Object> claims) {
        double nowS = clock.millis() / 1000.0;
        return claims.get("sub") instanceof String user
                && Ids.isUser(user)
                && ISSUER.equals(claims.getOrDefault("iss", ISSUER))
                && isTime(claims.get("iat"), atS -> true)
                && isTime(claims.get("exp"), atS -> atS > nowS)
                && (!claims.containsKey("nbf") || isTime(claims.get("nbf"), atS -> atS <= nowS));
    }

    private static boolean isTime(@Nullable Object claim, DoublePredicate fits) {
        return claim instanceof Number number
                && number.doubleValue() >= 0
                && number.doubleValue() < MAX_SECONDS
                && fits.test(number.doubleValue());
    }

    private static Optional<String> role(Map<String, Object> claims) {
        return Optional.ofNullable(claims.getOrDefault("role", BUYER))
                .filter(ROLES::contains)
                .map(String.class::cast);
    }

    private static MACVerifier verifier(TokenKeyFile.Key key) {
        try {
            return new MACVerifier(key.secret().getBytes(StandardCharsets.US_ASCII));
        } catch (JOSEException e) {
            throw new IllegalStateException("no HS256 key: " + key, e);
        }
    }
}
