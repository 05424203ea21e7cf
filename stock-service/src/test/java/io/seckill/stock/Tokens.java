package io.seckill.stock;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import java.time.Instant;
import java.util.Date;

/** Tokens as the shop signs them, and as a forger would. */
public final class Tokens {

    private Tokens() {}

    /** Valid for a minute. */
    public static String of(String role) {
        return sign("k1", Stock.SECRET, JWSAlgorithm.HS256, claims(role).build());
    }

    public static JWTClaimsSet.Builder claims(String role) {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder()
                .subject("olga")
                .claim("role", role)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(60)));
    }

    public static String sign(String kid, String secret, JWSAlgorithm alg, JWTClaimsSet claims) {
        try {
            SignedJWT jwt = new SignedJWT(new JWSHeader.Builder(alg).keyID(kid).build(), claims);
            jwt.sign(new MACSigner(secret));
            return jwt.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }
}
