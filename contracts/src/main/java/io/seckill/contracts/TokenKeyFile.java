package io.seckill.contracts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys of a token key file, in its order: the first signs, all verify. README.md has the
 * grammar and the words of refusal; no message and no {@link Key#toString} shows a secret.
 */
public final class TokenKeyFile {

    private static final int MAX_KEYS = 8;
    private static final Pattern SKIPPED = Pattern.compile("[ \t]*(#.*)?", Pattern.DOTALL);
    private static final Pattern PAIR = Pattern.compile("[ \t]*([^ \t]+)[ \t]+([^ \t]+)[ \t]*");
    private static final Pattern KID = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern SECRET = Pattern.compile("[!-~]{32,512}");

    /** A key id and its secret, both ASCII. */
    public record Key(String kid, String secret) {

        @Override
        public String toString() {
            return kid;
        }
    }

    private TokenKeyFile() {}

    /**
     * Reads the file; throws IllegalStateException, naming the setting and the file, when it cannot
     * be read or holds anything but 1 to 8 keys.
     */
    public static List<Key> read(String setting, Path file) {
        try {
            return parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalStateException(setting + ": " + file + ": cannot be read", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(setting + ": " + file + ": " + e.getMessage());
        }
    }

    /** The keys of a file's bytes; the IllegalArgumentException has README.md's words. */
    static List<Key> parse(byte[] bytes) {
        // Each byte is one character: no line of a file is unreadable, only refused.
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        List<Key> keys = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\n")) {
            number++;
            check(!line.endsWith("\r"), number, "must be KID SECRET");
            if (!SKIPPED.matcher(line).matches()) {
                keys.add(key(line, number, keys));
            }
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("holds no key");
        }
        return List.copyOf(keys);
    }

    private static Key key(String line, int number, List<Key> above) {
        Matcher words = PAIR.matcher(line);
        check(words.matches(), number, "must be KID SECRET");
        String kid = words.group(1);
        String secret = words.group(2);
        check(KID.matcher(kid).matches(), number, "a key id has 1 to 64 of A-Z a-z 0-9 _ . -");
        check(
                SECRET.matcher(secret).matches(),
                number,
                "a secret has 32 to 512 visible characters");
        check(
                above.stream().noneMatch(key -> key.kid().equals(kid)),
                number,
                "key id '" + kid + "' is there twice");
        check(above.size() < MAX_KEYS, number, "at most " + MAX_KEYS + " keys");
        return new Key(kid, secret);
    }

    private static void check(boolean holds, int number, String words) {
        if (!holds) {
            throw new IllegalArgumentException("line " + number + ": " + words);
        }
    }
}
