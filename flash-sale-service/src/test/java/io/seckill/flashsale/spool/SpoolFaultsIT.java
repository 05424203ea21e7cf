package io.seckill.flashsale.spool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.flashsale.spool.Spool.Bounds;
import io.seckill.testkit.LongRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A full disk, a killed process and two of them, in earnest. */
class SpoolFaultsIT {

    @TempDir
    private Path folder;

    @Test
    void what_a_killed_process_confirmed_is_there_and_until_then_nobody_else_may_have_it()
            throws Exception {
        List<String> confirmed = new ArrayList<>();
        Process other = start(Other.class);
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

    static IntStream moments() {
        return Boolean.getBoolean(LongRun.PROPERTY)
                ? IntStream.of(0, 1, 3, 10, 30)
                : IntStream.of(3);
    }

    /** What waits is never compacted; what is kept aside and what is gone already is. */
    @ParameterizedTest
    @MethodSource("moments")
    void killed_in_a_compaction_nothing_comes_back_and_what_is_kept_aside_is_there(int afterMs)
            throws Exception {
        try (Spool spool = open(folder)) {
            spool.keep(one(0)).join();
        }
        try (MVStore store = MVStore.open(folder.resolve(SpoolFile.NAME).toString())) {
            store.openMap("waiting", SpoolTest.TEXTS).put(one(0).key(), "no attempt");
            store.commit();
        }
        Process other = start(Compacting.class, Integer.toString(afterMs));
        String said = new String(other.getInputStream().readAllBytes(), UTF_8);
        assertThat(other.waitFor()).as(said).isEqualTo(Compacting.KILLED);
        assertThat(Files.size(folder.resolve(SpoolFile.NAME))).isPositive();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Spool spool = open(folder, registry)) {
            assertThat(spool.copy().size()).isZero();
            assertThat(spool.asideCount()).isEqualTo(1);
            assertThat(registry.get("seckill_spool_damaged_total").counter().count())
                    .isZero();
            assertThat(spool.keep(one(7)).join()).isEqualTo(one(7));
        }
    }

    /** Fills its spool and empties it, until it is killed so long after a compaction began. */
    static final class Compacting {
        static final int KILLED = 137;
        private static final int MANY = 20_000;

        public static void main(String[] words) throws InterruptedException {
            long afterNs = Long.parseLong(words[1]) * 1_000_000;
            new Thread(() -> killIn(afterNs)).start();
            try (Spool spool = open(Path.of(words[0]))) {
                for (int round = 0; round < 100; round++) {
                    all(n -> spool.keep(one(n)));
                    all(n -> spool.replayed(one(n)));
                }
            }
            System.exit(1);
        }

        private static void all(IntFunction<CompletableFuture<?>> step) {
            for (int from = 1; from < MANY; from += 5_000) {
                CompletableFuture.allOf(IntStream.range(from, from + 5_000)
                                .mapToObj(step)
                                .toArray(CompletableFuture[]::new))
                        .join();
            }
        }

        private static void killIn(long afterNs) {
            for (long sinceNs = 0; ; ) {
                if (!isCompacting()) {
                    sinceNs = 0;
                } else if (sinceNs == 0) {
                    sinceNs = System.nanoTime();
                }
                if (sinceNs > 0 && System.nanoTime() - sinceNs >= afterNs) {
                    Runtime.getRuntime().halt(KILLED);
                }
            }
        }

        private static boolean isCompacting() {
            return Thread.getAllStackTraces().entrySet().stream()
                    .filter(each -> each.getKey().getName().equals("spool"))
                    .flatMap(each -> Arrays.stream(each.getValue()))
                    .anyMatch(frame -> frame.getMethodName().equals("compactFile"));
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

    private Process start(Class<?> main, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                folder.toString()));
        words.addAll(List.of(more));
        return new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Spool open(Path where) {
        return open(where, new SimpleMeterRegistry());
    }

    private static Spool open(Path where, SimpleMeterRegistry registry) {
        return new Spool(
                where,
                Bounds.DEFAULT,
                Duration.ofMinutes(1),
                new Counters(registry, "flash-sale"),
                Clock.systemUTC());
    }

    private static Spooled one(int n) {
        return new Spooled("518", "u" + n, "%032x".formatted(n), 1, "", 1_700_000_000_000L);
    }
}
