package io.seckill.flashsale.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A disk of 2 MB, which takes root. */
final class SmallDisk implements AutoCloseable {

    private final Path folder;
    private final Path filler;

    SmallDisk(Path folder) {
        this.folder = folder;
        filler = folder.resolve("filler");
        run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.toString());
    }

    /** Takes all the room that is left. */
    void fill() throws IOException {
        byte[] block = new byte[4_096];
        try (var out = Files.newOutputStream(filler)) {
            for (int i = 0; i < 1_024; i++) {
                out.write(block);
            }
        } catch (IOException e) {
            return;
        }
        throw new IllegalStateException("there was room for all of it");
    }

    void free() throws IOException {
        Files.delete(filler);
    }

    @Override
    public void close() {
        run("umount", folder.toString());
    }

    private static void run(String... words) {
        try {
            assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
                    .as(String.join(" ", words))
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
