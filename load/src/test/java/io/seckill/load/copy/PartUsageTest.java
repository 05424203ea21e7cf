package io.seckill.load.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartUsageTest {

    @TempDir
    private Path home;

    @Test
    void part_is_read_by_its_pid_and_shards_count_as_one() throws IOException {
        part("order", ProcessHandle.current().pid());
        part("shard-0", 1);
        part("shard-1", Integer.MAX_VALUE); // has ended
        Files.createDirectory(home.resolve("reports"));
        Map<String, Long> before = PartUsage.cpuUs(copy(), Map.of());
        assertThat(before).containsOnlyKeys("order", "shards");
        assertThat(PartUsage.residentBytes(copy()).get("order")).isGreaterThan(10_000_000);
        long untilNs = System.nanoTime() + 200_000_000;
        while (System.nanoTime() < untilNs) {
            Thread.onSpinWait();
        }
        Map<String, Long> used = PartUsage.since(before, PartUsage.cpuUs(copy(), Map.of()));
        assertThat(used.get("order")).isBetween(20_000L, 20_000_000L);
    }

    @Test
    void process_that_was_started_beside_counts_under_its_name() {
        int pid = (int) ProcessHandle.current().pid();
        assertThat(PartUsage.cpuUs(copy(), Map.of(pid, "floor")).get("floor")).isPositive();
    }

    @Test
    void part_that_was_restarted_counts_from_its_start() {
        Map<String, Long> before = Map.of("stock", 900L, "order", 500L);
        assertThat(PartUsage.since(before, Map.of("stock", 1_000L, "order", 40L, "edge", 7L)))
                .isEqualTo(Map.of("stock", 100L, "order", 40L, "edge", 7L));
    }

    private void part(String name, long pid) throws IOException {
        Path folder = Files.createDirectory(home.resolve(name));
        Files.writeString(folder.resolve("pid"), pid + "\n");
    }

    private RunningCopy copy() {
        return new RunningCopy(home, 0, 0, 0, 0, 0, "", List.of(), "", "", "", home);
    }
}
