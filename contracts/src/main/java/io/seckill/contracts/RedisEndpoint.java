package io.seckill.contracts;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis is and who asks it: {@code redis://[USER:PASSWORD@]HOST:PORT}, or {@code rediss}
 * for TLS.
 *
 * <p>Neither a message nor {@link #toString} shows the text or a password.
 *
 * @param user null, as the password then is, where the Redis wants none
 */
public record RedisEndpoint(
        String host,
        int port,
        @Nullable String user,
        @Nullable String password,
        boolean tls) {

    private static final String WORD = "((?:[A-Za-z0-9._~-]|%[2-7][0-9A-Fa-f]){1,512})";
    private static final Pattern URI = Pattern.compile(
            "redis(s?)://(?:" + WORD + ":" + WORD + "@)?([A-Za-z0-9.-]{1,253}):([1-9][0-9]{0,4})");
    private static final Pattern ENCODED = Pattern.compile("%(..)");
    private static final int DELETE = 0x7f;

    /** Reads the setting's text; throws IllegalArgumentException naming the setting. */
    public static RedisEndpoint of(String setting, String text) {
        Matcher uri = URI.matcher(text == null ? "" : text);
        if (!uri.matches() || Integer.parseInt(uri.group(5)) > 65_535) {
            throw bad(setting);
        }
        return new RedisEndpoint(
                uri.group(4),
                Integer.parseInt(uri.group(5)),
                decoded(setting, uri.group(2)),
                decoded(setting, uri.group(3)),
                !uri.group(1).isEmpty());
    }

    /** Host and port, for messages. */
    @Override
    public String toString() {
        return host + ":" + port;
    }

    private static @Nullable String decoded(String setting, @Nullable String word) {
        return word == null
                ? null
                : ENCODED.matcher(word)
                        .replaceAll(found -> Matcher.quoteReplacement(
                                character(setting, Integer.parseInt(found.group(1), 16))));
    }

    private static String character(String setting, int code) {
        if (code == DELETE) {
            throw bad(setting);
        }
        return String.valueOf((char) code);
    }

    private static IllegalArgumentException bad(String setting) {
        return new IllegalArgumentException(setting
                + ": must be redis://[USER:PASSWORD@]HOST:PORT, or rediss:// for TLS, with what is"
                + " not A-Z a-z 0-9 - . _ ~ in USER and PASSWORD as %XX");
    }
}
