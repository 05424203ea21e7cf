package io.seckill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The clock of a JVM that is a process of its own, set by libfaketime, which {@code ./seckill test}
 * installs. The time it counts (System.nanoTime) stays as it is: without the last two settings every
 * wait that has an end never ends, or ends at once.
 */
public final class FakeTime {

    private static final Path MEMORY = Path.of("/dev/shm");

    private FakeTime() {}

    /** The environment of a process whose clock is ahead of the machine's, by whole seconds. */
    public static Map<String, String> ahead(Duration ahead) {
        return Map.of(
                "LD_PRELOAD",
                library().toString(),
                "FAKETIME",
                "%+ds".formatted(ahead.toSeconds()),
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0");
    }

    private static Path library() {
        Path architectures = Path.of("/usr/lib");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(architectures, "*-linux-*")) {
            for (Path architecture : found) {
                Path library = architecture.resolve("faketime/libfaketime.so.1");
                if (Files.exists(library)) {
                    return library;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("libfaketime is missing: apt-get install libfaketime");
    }

    /** Once it runs: its shared memory goes with it also when it is killed. */
    public static void leaveNothingOf(long pid) {
        try {
            Files.deleteIfExists(MEMORY.resolve("faketime_shm_" + pid));
            Files.deleteIfExists(MEMORY.resolve("sem.faketime_sem_" + pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
