package io.seckill.flashsale.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The key file: {@code kid secret} per line, # for comments. Bad content stops the service. */
final class KeyFile {

    private static final int SHORTEST_SECRET = 32;

    private KeyFile() {}

    /** The secret that signs. Every line is checked, so that a rotation cannot hide a weak key. */
    static String firstSecret(Path file) {
        List<String> secrets = lines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(line -> secret(file, line))
                .toList();
        if (secrets.isEmpty()) {
            throw bad(file, "holds no key");
        }
        return secrets.get(0);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw bad(file, "cannot be read (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** The line itself is never repeated in a message: it may be a secret. */
    private static String secret(Path file, String line) {
        String[] parts = line.split("\\s+");
        if (parts.length != 2) {
            throw bad(file, "has a line that is not \"kid secret\"");
        }
        if (parts[1].length() < SHORTEST_SECRET) {
            throw bad(file, "has a secret shorter than " + SHORTEST_SECRET + ": key " + parts[0]);
        }
        return parts[1];
    }

    private static IllegalStateException bad(Path file, String what) {
        return new IllegalStateException("seckill.token-keys: " + file + " " + what);
    }
}
