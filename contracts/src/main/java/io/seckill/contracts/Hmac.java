package io.seckill.contracts;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256 of texts by keys of a key file, in lower-case hex. */
public final class Hmac {

    private static final String HMAC = "HmacSHA256";

    private Hmac() {}

    public static String of(TokenKeyFile.Key key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            byte[] secret = key.secret().getBytes(StandardCharsets.US_ASCII);
            mac.init(new SecretKeySpec(secret, HMAC));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes as long for a wrong one as for a right one. */
    public static boolean isOf(TokenKeyFile.Key key, String text, String mac) {
        return MessageDigest.isEqual(
                of(key, text).getBytes(StandardCharsets.US_ASCII),
                mac.getBytes(StandardCharsets.US_ASCII));
    }
}
