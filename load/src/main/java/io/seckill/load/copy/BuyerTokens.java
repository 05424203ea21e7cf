package io.seckill.load.copy;

import io.seckill.contracts.TokenKeyFile;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Mints tokens of synthetic users; one thread. */
public final class BuyerTokens {

    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();
    private static final long LIFETIME_S = 86_400;

    private final String header;
    private final Mac mac;
    private final long nowS;

    private BuyerTokens(String kid, String secret, long nowMs) {
        header = encoded("{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"" + kid + "\"}");
        nowS = nowMs / 1_000;
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
    }

    /** Signed as the copy's own: with the first key of its file. */
    public static BuyerTokens of(RunningCopy copy) {
        TokenKeyFile.Key key =
                TokenKeyFile.read("SECKILL_TOKEN_KEYS", copy.tokenKeys()).get(0);
        return new BuyerTokens(key.kid(), key.secret(), System.currentTimeMillis());
    }

    public String buyer(String user) {
        return token(user, "buyer");
    }

    public String operator() {
        return token("load", "ops");
    }

    private String token(String user, String role) {
        String claims = encoded("{\"sub\":\"" + user + "\",\"role\":\"" + role + "\",\"iat\":"
                + nowS + ",\"exp\":" + (nowS + LIFETIME_S) + "}");
        String signed = header + "." + claims;
        byte[] signature = mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + BASE64URL.encodeToString(signature);
    }

    private static String encoded(String json) {
        return BASE64URL.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
