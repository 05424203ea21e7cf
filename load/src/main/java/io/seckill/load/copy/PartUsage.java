package io.seckill.load.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What each part of the copy has used: CPU time and memory of its process and its children, as the
 * kernel counts them (proc(5), stat: utime and stime in ticks). All shards count as one part.
 *
 * <p>CPU time over counted attempts says what an attempt costs, however busy the machine is
 * otherwise; one tick is 10 ms, so that a figure wants thousands of attempts.
 */
public final class PartUsage {

    private static final long TICK_US = 10_000; // sysconf(_SC_CLK_TCK) is 100 on Linux
    private static final int PAGE_BYTES = 4096;

    private PartUsage() {}

    private record Usage(int pid, int parent, long cpuUs, long residentBytes) {}

    /** Microseconds since each part's start; {@code more}: others that count as parts, by pid. */
    public static Map<String, Long> cpuUs(RunningCopy copy, Map<Integer, String> more) {
        return sums(leaders(copy, more), Usage::cpuUs);
    }

    public static Map<String, Long> residentBytes(RunningCopy copy) {
        return sums(leaders(copy, Map.of()), Usage::residentBytes);
    }

    /** What was used between two readings; a part that was restarted in between counts from 0. */
    public static Map<String, Long> since(Map<String, Long> before, Map<String, Long> now) {
        Map<String, Long> used = new TreeMap<>();
        now.forEach((part, value) -> {
            long earlier = before.getOrDefault(part, 0L);
            used.put(part, value >= earlier ? value - earlier : value);
        });
        return used;
    }

    private static Map<String, Long> sums(
            Map<Integer, String> leaders, ToLongFunction<Usage> figure) {
        List<Usage> processes = processes();
        Map<String, Long> sums = new TreeMap<>();
        leaders.forEach((pid, part) -> {
            long sum = processes.stream()
                    .filter(each -> each.pid() == pid || each.parent() == pid)
                    .mapToLong(figure)
                    .sum();
            sums.merge(part, sum, Long::sum);
        });
        return sums;
    }

    /** The parts' own processes, by their pid files; a part that is down has none. */
    private static Map<Integer, String> leaders(RunningCopy copy, Map<Integer, String> more) {
        Map<Integer, String> leaders = new HashMap<>(more);
        try (Stream<Path> folders = Files.list(copy.home())) {
            for (Path folder : folders.toList()) {
                Path pid = folder.resolve("pid");
                if (Files.exists(pid)) {
                    String name = folder.toFile().getName();
                    leaders.put(
                            Integer.parseInt(Files.readString(pid).strip()),
                            name.startsWith("shard-") ? "shards" : name);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the parts of " + copy.home(), e);
        }
        return leaders;
    }

    private static List<Usage> processes() {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(each -> Character.isDigit(each.toFile().getName().charAt(0)))
                    .flatMap(PartUsage::process)
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException("cannot read /proc", e);
        }
    }

    /**
     * None when it has ended meanwhile. The name in parentheses may hold anything but the last
     * ")".
     */
    private static Stream<Usage> process(Path folder) {
        try {
            String stat = Files.readString(folder.resolve("stat"));
            String[] after = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Stream.of(new Usage(
                    Integer.parseInt(folder.toFile().getName()),
                    Integer.parseInt(after[1]),
                    (Long.parseLong(after[11]) + Long.parseLong(after[12])) * TICK_US,
                    Long.parseLong(after[21]) * PAGE_BYTES));
        } catch (IOException e) {
            return Stream.of();
        }
    }
}
