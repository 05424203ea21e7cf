package io.seckill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A key file that lives as long as this JVM. */
public final class KeyFile {

    private KeyFile() {}

    public static Path of(String... lines) {
        try {
            Path file = Files.createTempFile("seckill-keys-", ".txt");
            file.toFile().deleteOnExit();
            return Files.write(file, List.of(lines));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
