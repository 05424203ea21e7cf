package io.seckill.shard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** A script of this module, with the name Redis knows it by. Never built from input. */
enum Script {
    RESERVE,
    GIVE_BACK,
    LOAD,
    BOOKS,
    PARK;

    private final String text = read("/shard/" + name().toLowerCase(Locale.ROOT) + ".lua");
    private final String sha = sha1(text);

    String text() {
        return text;
    }

    String sha() {
        return sha;
    }

    private static String read(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(digest.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
