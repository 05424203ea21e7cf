package io.seckill.flashsale.spool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.flashsale.spool.Spool.Bounds;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk, a killed process and two of them, in earnest. */
class SpoolFaultsIT {

    @TempDir
    private Path folder;

    @Test
    void what_a_killed_process_confirmed_is_there_and_until_then_nobody_else_may_have_it()
            throws Exception {
        List<String> confirmed = new ArrayList<>();
        Process other = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(other.getInputStream(), UTF_8))) {
            for (String line; confirmed.size() < 500 && (line = said.readLine()) != null; ) {
                if (line.startsWith("kept ")) {
                    confirmed.add(line.substring(5));
                }
            }
            assertThat(confirmed).hasSize(500);
            assertThatThrownBy(() -> open(folder))
                    .hasMessageContaining("seckill.spool-dir")
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("another process");
        } finally {
            other.destroyForcibly().waitFor();
        }
        try (Spool spool = open(folder)) {
            assertThat(spool.copy().map().keySet()).containsAll(confirmed);
        }
    }

    /** Says what it has kept, until it is killed. */
    static final class Other {
        public static void main(String[] words) {
            try (Spool spool = open(Path.of(words[0]))) {
                for (int n = 0; n < 1_000_000; n++) {
                    System.out.println("kept " + spool.keep(one(n)).join().key());
                }
            }
        }
    }

    @Test
    void full_disk_takes_nothing_more_loses_nothing_and_is_used_again_when_there_is_room()
            throws Exception {
        try (SmallDisk disk = new SmallDisk(folder)) {
            int kept;
            try (Spool spool = open(folder)) {
                spool.keep(one(0)).join();
                disk.fill();
                kept = keepUntilRefused(spool);
                assertThat(spool.isSound()).isFalse();
                assertThatThrownBy(() -> spool.keep(one(999_999)).join())
                        .as("at once, and for certain")
                        .cause()
                        .isInstanceOfSatisfying(
                                NotKeptException.class,
                                why -> assertThat(why.isUnknown()).isFalse());
                disk.free();
                await().until(spool::isSound);
                assertThat(spool.keep(one(888_888)).join()).isNotNull();
            }
            try (Spool again = open(folder)) {
                assertThat(again.copy().size()).isEqualTo(kept + 1);
                assertThat(again.copy().has(one(888_888))).isTrue();
            }
        }
    }

    private static int keepUntilRefused(Spool spool) {
        for (int n = 1; n < 20_000; n++) {
            try {
                spool.keep(one(n)).join();
            } catch (RuntimeException e) {
                assertThat(e).hasCauseInstanceOf(NotKeptException.class);
                return n;
            }
        }
        throw new IllegalStateException("the disk never was full");
    }

    private static Spool open(Path where) {
        return new Spool(
                where,
                Bounds.DEFAULT,
                Duration.ofMinutes(1),
                new Counters(new SimpleMeterRegistry(), "flash-sale"),
                Clock.systemUTC());
    }

    private static Spooled one(int n) {
        return new Spooled("518", "u" + n, "%032x".formatted(n), 1, "", 1_700_000_000_000L);
    }
}
