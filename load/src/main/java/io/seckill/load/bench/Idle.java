package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.copy.PartUsage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the platform costs while nobody buys: CPU and memory by part. */
final class Idle implements Scenario {

    private static final String ALL = "all parts";
    private static final int SECONDS = 60;
    private static final int QUICK_SECONDS = 2;

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String about() {
        return "CPU time and resident memory of each part while nobody buys, over " + SECONDS
                + " s.";
    }

    @Override
    public List<Row> run(Rig rig) throws InterruptedException {
        int seconds = rig.isQuick() ? QUICK_SECONDS : SECONDS;
        Progress.say("nobody buys for " + seconds + " s");
        Map<String, Long> before = rig.cpuUs();
        Thread.sleep(seconds * 1_000L);
        Map<String, Long> used = PartUsage.since(before, rig.cpuUs());
        Map<String, Long> bytes = PartUsage.residentBytes(rig.copy());
        used.put(ALL, sum(used));
        bytes.put(ALL, sum(bytes));
        List<Row> rows = new ArrayList<>();
        used.forEach((part, cpuUs) ->
                rows.add(new Row(part + ", CPU", cpuUs / (seconds * 1e6) * 100, "% of a core")));
        bytes.forEach((part, count) -> rows.add(new Row(part + ", memory", count / 1e6, "MB")));
        return rows;
    }

    private static long sum(Map<String, Long> byPart) {
        return byPart.values().stream().mapToLong(Long::longValue).sum();
    }
}
