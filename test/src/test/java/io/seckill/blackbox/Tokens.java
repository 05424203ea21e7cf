package io.seckill.blackbox;

import io.seckill.contracts.TokenKeyFile;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs HS256 tokens with the copy's first key, as the shop's login would. */
final class Tokens {

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final long TTL_S = 3_600;

    private final String kid;
    private final SecretKeySpec secret;

    Tokens(Path keyFile) {
        TokenKeyFile.Key first = TokenKeyFile.read("token keys", keyFile).get(0);
        kid = first.kid();
        secret =
                new SecretKeySpec(first.secret().getBytes(StandardCharsets.US_ASCII), "HmacSHA256");
    }

    String buyer(String user) {
        long now = System.currentTimeMillis() / 1000;
        String head = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"" + kid + "\"}");
        String claims = encode("{\"sub\":\"%s\",\"role\":\"buyer\",\"iat\":%d,\"exp\":%d}"
                .formatted(user, now, now + TTL_S));
        return head + "." + claims + "." + BASE64.encodeToString(sign(head + "." + claims));
    }

    private byte[] sign(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(secret);
            return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encode(String json) {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
