package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveKeysTest {

    private static final String OLD = "old " + "o".repeat(32) + "\n";
    private static final String NEW = "new " + "n".repeat(32) + "\n";

    @TempDir
    private Path folder;

    private Path file;
    private long nowMs = 1_000_000;
    private final InstantSource source = () -> Instant.ofEpochMilli(nowMs);
    private final Clock clock = source.withZone(ZoneOffset.UTC);

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("keys");
        Files.writeString(file, OLD);
    }

    @Test
    void new_key_verifies_within_a_second_and_signs_once_all_readers_know_it() throws IOException {
        LiveKeys keys = keys();
        assertThat(kids(keys)).containsExactly("old");
        Files.writeString(file, NEW + OLD);
        nowMs += LiveKeys.LOOK_MS;
        assertThat(kids(keys)).containsExactly("old", "new");
        nowMs += LiveKeys.SETTLE_MS - 1;
        assertThat(kids(keys)).containsExactly("old", "new");
        nowMs += LiveKeys.LOOK_MS;
        assertThat(kids(keys)).containsExactly("new", "old");
    }

    @Test
    void removed_key_is_worth_nothing_within_a_second_and_the_next_one_signs() throws IOException {
        LiveKeys keys = keys();
        Files.writeString(file, NEW);
        nowMs += LiveKeys.LOOK_MS;
        assertThat(kids(keys)).containsExactly("new");
    }

    @Test
    void secret_changed_under_its_key_id_counts_as_another_key() throws IOException {
        LiveKeys keys = keys();
        Files.writeString(file, "old " + "x".repeat(32));
        nowMs += LiveKeys.LOOK_MS;
        assertThat(keys.get().get(0).secret()).startsWith("x");
    }

    @Test
    void file_that_becomes_bad_leaves_the_last_good_keys_until_it_is_good() throws IOException {
        LiveKeys keys = keys();
        for (String bad : new String[] {"", "old short\n", "gone"}) {
            Files.writeString(file, bad);
            if ("gone".equals(bad)) {
                Files.delete(file);
            }
            nowMs += LiveKeys.LOOK_MS;
            assertThat(kids(keys)).containsExactly("old");
        }
        Files.writeString(file, NEW);
        nowMs += LiveKeys.LOOK_MS;
        assertThat(kids(keys)).containsExactly("new");
    }

    @Test
    void file_is_looked_at_once_a_second_and_also_when_the_clock_was_set_back() throws IOException {
        LiveKeys keys = keys();
        assertThat(kids(keys)).containsExactly("old");
        Files.writeString(file, NEW);
        nowMs += LiveKeys.LOOK_MS - 1;
        assertThat(kids(keys)).containsExactly("old");
        nowMs -= 3_600_000;
        assertThat(kids(keys)).containsExactly("new");
    }

    /** The second of two asks while the first looks. */
    @Test
    void two_who_ask_at_once_after_a_silence_both_know_the_new_key() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier both = new CyclicBarrier(2);
        LiveKeys keys = keys();
        Callable<String[]> ask = () -> {
            both.await();
            return kids(keys);
        };
        for (int round = 0; round < 200; round++) {
            Files.writeString(file, "k" + round + " " + "n".repeat(32));
            nowMs += LiveKeys.LOOK_MS;
            for (Future<String[]> asked : threads.invokeAll(List.of(ask, ask))) {
                assertThat(asked.get()).containsExactly("k" + round);
            }
        }
        threads.shutdownNow();
    }

    @Test
    void file_that_is_bad_at_the_start_stops_it() throws IOException {
        Files.writeString(file, "old short\n");
        assertThatIllegalStateException()
                .isThrownBy(this::keys)
                .withMessage("setting: " + file + ": line 1: a secret has 32 to 512 visible"
                        + " characters");
    }

    private LiveKeys keys() {
        return new LiveKeys("setting", file, clock);
    }

    private static String[] kids(LiveKeys keys) {
        return keys.get().stream().map(TokenKeyFile.Key::kid).toArray(String[]::new);
    }
}
