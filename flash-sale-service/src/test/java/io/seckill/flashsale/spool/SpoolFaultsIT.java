package io.seckill.flashsale.spool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.flashsale.spool.Spool.Bounds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
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
        run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.toString());
        try {
            int kept;
            try (Spool spool = open(folder)) {
                spool.keep(one(0)).join();
                Path filler = folder.resolve("filler");
                fill(filler);
                kept = keepUntilRefused(spool);
                assertThat(spool.isSound()).isFalse();
                assertThatThrownBy(() -> spool.keep(one(999_999)).join())
                        .as("at once, and for certain")
                        .cause()
                        .isInstanceOfSatisfying(
                                NotKeptException.class,
                                why -> assertThat(why.isUnknown()).isFalse());
                Files.delete(filler);
                await().until(spool::isSound);
                assertThat(spool.keep(one(888_888)).join()).isNotNull();
            }
            try (Spool again = open(folder)) {
                assertThat(again.copy().size()).isEqualTo(kept + 1);
                assertThat(again.copy().has(one(888_888))).isTrue();
            }
        } finally {
            run("umount", folder.toString());
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

    private static void fill(Path filler) {
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

    private static void run(String... words) throws Exception {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
                .as(String.join(" ", words))
                .isZero();
    }

    private static Spool open(Path where) {
        return new Spool(
                where,
                Bounds.DEFAULT,
                new Counters(new SimpleMeterRegistry(), "flash-sale"),
                Clock.systemUTC());
    }

    private static Spooled one(int n) {
        return new Spooled("518", "u" + n, "%032x".formatted(n), 1, "", 1_700_000_000_000L);
    }
}
