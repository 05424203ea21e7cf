package io.seckill.load.copy;

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

    public BuyerTokens(String kid, String secret, long nowMs) {
        header = encoded("{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"" + kid + "\"}");
        nowS = nowMs / 1_000;
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
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
