package io.seckill.flashsale.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.flashsale.spool.Spool.Bounds;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.StringDataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class SpoolTest {

    static final MVMap.Builder<String, String> TEXTS = new MVMap.Builder<String, String>()
            .keyType(StringDataType.INSTANCE)
            .valueType(StringDataType.INSTANCE);

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void what_is_kept_is_there_after_a_kill_and_what_was_removed_is_not() throws IOException {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 50);
            spool.replayed(one(7)).join();
            copyTo(folder.resolve("killed"));
        }
        try (Spool again = open(folder.resolve("killed"), Bounds.DEFAULT)) {
            assertThat(again.copy().all()).hasSize(49).doesNotContain(one(7));
            assertThat(again.copy().mayHaveBeenSent(one(8))).isTrue();
        }
    }

    @Test
    void many_at_once_are_all_kept_and_there_after_an_orderly_end() {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 5_000);
        }
        try (Spool again = open(Bounds.DEFAULT)) {
            assertThat(again.copy().size()).isEqualTo(5_000);
        }
    }

    @Test
    void second_try_of_a_user_is_the_first_one_also_while_that_is_written() {
        try (Spool spool = open(Bounds.DEFAULT)) {
            Spooled first = one(1);
            Spooled second = new Spooled("518", first.userId(), "e".repeat(32), 1, "", 1);
            List<CompletableFuture<Spooled>> both = List.of(spool.keep(first), spool.keep(second));
            both.forEach(kept -> assertThat(kept.join()).isEqualTo(first));
            assertThat(spool.keep(second).join()).isEqualTo(first);
            assertThat(spool.copy().size()).isEqualTo(1);
        }
    }

    @Test
    void full_spool_takes_nothing_until_something_ends() {
        try (Spool spool = open(new Bounds(3, 1 << 30))) {
            keep(spool, 0, 3);
            assertNotKept(spool, one(3));
            spool.replayed(one(0)).join();
            keep(spool, 3, 4);
        }
        try (Spool tooBig = open(new Bounds(100, 1))) {
            assertNotKept(tooBig, one(9));
        }
    }

    @Test
    void damaged_record_is_kept_aside_and_counted_and_stops_nobody() {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 3);
        }
        try (MVStore store = MVStore.open(file().toString())) {
            String text = one(1).text();
            store.openMap("waiting", TEXTS).put(one(1).key(), text.replace("|2|", "|3|"));
            store.commit();
        }
        for (int start = 0; start < 2; start++) {
            try (Spool spool = open(Bounds.DEFAULT)) {
                assertThat(spool.copy().all()).containsExactly(one(0), one(2));
                assertThat(spool.asideCount()).isEqualTo(1);
                assertThat(count("damaged")).as("once").isEqualTo(1);
            }
        }
    }

    @Test
    void equation_of_the_counters_holds() {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 5);
            spool.replayed(one(0)).join();
            spool.remove(one(1), "EXPIRED").join();
        }
        try (Spool again = open(Bounds.DEFAULT)) {
            again.copy().all().forEach(each -> again.replayed(each).join());
            assertThat(again.copy().size()).isZero();
        }
        // Five, and three that the second process found.
        assertThat(registry.get("seckill_spooled_total").counter().count()).isEqualTo(8);
        assertThat(count("replayed") + count("expired")).isEqualTo(5);
    }

    /** Wherever a byte is flipped: each record is as it was written, or counted, or put aside. */
    @Test
    void flipped_byte_never_makes_another_record() throws IOException {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 200);
        }
        byte[] good = Files.readAllBytes(file());
        int asides = 0;
        for (int at = 0; at < good.length; at += 131) {
            Path damaged = Files.createDirectories(folder.resolve("flipped-" + at));
            byte[] bytes = good.clone();
            bytes[at] ^= 0x40;
            Files.write(damaged.resolve(SpoolFile.NAME), bytes);
            try (Spool spool = open(damaged, Bounds.DEFAULT)) {
                spool.copy().all().forEach(each -> assertThat(each).isEqualTo(byUser(each)));
                boolean isWhole = spool.copy().size() == 200;
                asides += isWhole ? 0 : 1;
                int left = spool.copy().size();
                keepOne(spool);
                assertThat(spool.copy().size()).as("it goes on").isEqualTo(left + 1);
            }
        }
        assertThat(asides).as("some were worth flipping").isPositive();
    }

    @Test
    void cut_tail_loses_at_most_what_was_cut_and_stops_nobody() throws IOException {
        try (Spool spool = open(Bounds.DEFAULT)) {
            keep(spool, 0, 100);
        }
        long size = Files.size(file());
        for (long cut = 1; cut < size; cut += 501) {
            Path damaged = Files.createDirectories(folder.resolve("cut-" + cut));
            Files.copy(file(), damaged.resolve(SpoolFile.NAME));
            try (FileChannel tail =
                    FileChannel.open(damaged.resolve(SpoolFile.NAME), StandardOpenOption.WRITE)) {
                tail.truncate(size - cut);
            }
            try (Spool spool = open(damaged, Bounds.DEFAULT)) {
                spool.copy().all().forEach(each -> assertThat(each).isEqualTo(byUser(each)));
                keepOne(spool);
            }
        }
    }

    @Test
    void file_that_is_no_spool_is_put_aside() throws IOException {
        Files.writeString(file(), "this is no spool ".repeat(1_000), StandardCharsets.US_ASCII);
        try (Spool spool = open(Bounds.DEFAULT);
                var files = Files.list(folder)) {
            assertThat(spool.copy().size()).isZero();
            assertThat(files.map(path -> path.getFileName().toString()))
                    .anyMatch(name -> name.startsWith("spool.damaged-"));
            assertThat(count("damaged")).isEqualTo(1);
        }
    }

    @Test
    void folder_that_cannot_be_made_stops_the_start_and_is_named() throws IOException {
        Path blocked = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> open(blocked.resolve("spool"), Bounds.DEFAULT))
                .hasMessageContaining("seckill.spool-dir")
                .hasMessageContaining(blocked.toString());
    }

    @Test
    void health_is_red_once_its_thread_is_gone_and_not_while_it_waits() {
        Spool spool = open(Bounds.DEFAULT);
        SpoolHealthIndicator health = new SpoolHealthIndicator(spool);
        assertThat(health.health())
                .isEqualTo(Health.up().withDetail("sound", true).build());
        assertThat(spool.isAlive(Duration.ZERO)).as("it came back a while ago").isFalse();
        spool.close();
        assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
    }

    private Path file() {
        return folder.resolve(SpoolFile.NAME);
    }

    private void copyTo(Path other) throws IOException {
        Files.createDirectories(other);
        Files.copy(file(), other.resolve(SpoolFile.NAME));
    }

    private double count(String what) {
        return registry.find("seckill_spool_" + what + "_total").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private Spool open(Bounds bounds) {
        return open(folder, bounds);
    }

    private Spool open(Path where, Bounds bounds) {
        return new Spool(
                where,
                bounds,
                Duration.ofMinutes(1),
                new Counters(registry, "flash-sale"),
                Clock.systemUTC());
    }

    private static void keep(Spool spool, int from, int to) {
        List<CompletableFuture<Spooled>> kept =
                IntStream.range(from, to).mapToObj(n -> spool.keep(one(n))).toList();
        kept.forEach(CompletableFuture::join);
    }

    private static Spooled keepOne(Spool spool) {
        await().until(() ->
                spool.keep(one(100_000)).handle((kept, failure) -> kept != null).join());
        return one(100_000);
    }

    private static void assertNotKept(Spool spool, Spooled one) {
        assertThatThrownBy(() -> spool.keep(one).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(NotKeptException.class);
    }

    private static Spooled byUser(Spooled each) {
        return one(Integer.parseInt(each.userId().substring(1)));
    }

    private static Spooled one(int n) {
        return new Spooled("518", "u" + n, "%032x".formatted(n), 2, "", 1_700_000_000_000L);
    }
}
