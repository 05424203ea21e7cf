package io.seckill.stock.entry;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import io.seckill.contracts.Ids;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Clock;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys of the key file and the check of a token against them.
 *
 * <p>HS256 only, whatever a token asks for; the token names its key by {@code kid}. A file that
 * cannot be read, or holds no key or a short one, stops the service at start.
 */
public final class TokenKeys {

    private static final int MAX_TOKEN_CHARS = 4096;
    private static final int MIN_SECRET_CHARS = 32;

    private final Map<String, MACVerifier> verifiers;
    private final Clock clock;

    private TokenKeys(Map<String, MACVerifier> verifiers, Clock clock) {
        this.verifiers = verifiers;
        this.clock = clock;
    }

    public static TokenKeys read(Path file, Clock clock) {
        Map<String, MACVerifier> verifiers = new HashMap<>();
        for (String line : lines(file)) {
            String[] parts = line.strip().split("\\s+");
            if (parts.length != 2 || parts[1].length() < MIN_SECRET_CHARS) {
                throw unusable(
                        file,
                        "each line is \"kid secret\", the secret of at least " + MIN_SECRET_CHARS
                                + " characters",
                        null);
            }
            verifiers.put(parts[0], verifier(file, parts[1]));
        }
        if (verifiers.isEmpty()) {
            throw unusable(file, "it holds no key", null);
        }
        return new TokenKeys(Map.copyOf(verifiers), clock);
    }

    /** The role the token gives; empty when anything about it is wrong. */
    Optional<String> role(String token) {
        if (token.length() > MAX_TOKEN_CHARS) {
            return Optional.empty();
        }
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            boolean isGood = isSigned(jwt) && isValid(jwt.getJWTClaimsSet());
            return isGood
                    ? Optional.ofNullable(jwt.getJWTClaimsSet().getStringClaim("role"))
                    : Optional.empty();
        } catch (ParseException | JOSEException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The algorithm is ours and the key is named; a critical header we do not know is a no. */
    private boolean isSigned(SignedJWT jwt) throws JOSEException {
        String kid = jwt.getHeader().getKeyID();
        MACVerifier verifier = kid == null ? null : verifiers.get(kid);
        return verifier != null
                && JWSAlgorithm.HS256.equals(jwt.getHeader().getAlgorithm())
                && jwt.verify(verifier);
    }

    /** Who and until when; both times must be there, so that no token lives for ever. */
    private boolean isValid(JWTClaimsSet claims) {
        Date now = Date.from(clock.instant());
        Date notBefore = claims.getNotBeforeTime();
        return Ids.isUser(claims.getSubject())
                && claims.getIssueTime() != null
                && claims.getExpirationTime() != null
                && claims.getExpirationTime().after(now)
                && (notBefore == null || !notBefore.after(now));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw unusable(file, "it cannot be read", e);
        }
    }

    private static MACVerifier verifier(Path file, String secret) {
        try {
            return new MACVerifier(secret.getBytes(StandardCharsets.UTF_8));
        } catch (JOSEException e) {
            throw unusable(file, "a secret is refused", e);
        }
    }

    private static IllegalStateException unusable(Path file, String why, Exception cause) {
        return new IllegalStateException("seckill.token-keys: " + file + ": " + why, cause);
    }
}
