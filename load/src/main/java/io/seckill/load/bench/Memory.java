package io.seckill.load.bench;

import static java.util.Objects.requireNonNull;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.copy.PartUsage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether the services keep something of each order: what their heaps hold after a collection. */
final class Memory implements Scenario {

    private static final int ORDERS = 10_000;
    private static final int TIMES = 10;
    private static final List<String> SERVICES = List.of("order", "flash-sale", "stock");
    private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String about() {
        return "What each service's heap holds after a collection, and its resident memory, once"
                + " 100,000 orders have landed, against the same after 10,000; 1.00 is flat.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        String wrong = sell(rig, rig.scaled(ORDERS));
        Map<String, Double> before = megabytes(rig);
        wrong = Row.joined(wrong, sell(rig, rig.scaled(ORDERS * (TIMES - 1))));
        Map<String, Double> after = megabytes(rig);
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<String, Double> each : before.entrySet()) {
            double now = requireNonNull(after.get(each.getKey()), "both times the same services");
            rows.add(new Row(each.getKey(), now, "MB")
                    .against("after a tenth", each.getValue())
                    .judged(wrong));
        }
        return rows;
    }

    private static String sell(Rig rig, int count) throws Exception {
        Progress.say("orders: " + count);
        String product = Selling.open(rig, count);
        Buyers buyers = Selling.buyers(rig, product, count, 0);
        rig.measure(buyers);
        return rig.verdict(product, count);
    }

    private static Map<String, Double> megabytes(Rig rig) throws Exception {
        Map<String, Double> found = new TreeMap<>();
        Map<String, Long> resident = PartUsage.residentBytes(rig.copy());
        for (String service : SERVICES) {
            found.put(service + ", heap", heapKb(rig, service) * 1024 / 1e6);
            found.put(service + ", resident", resident.getOrDefault(service, 0L) / 1e6);
        }
        return found;
    }

    /** Of both generations, right after a full collection. */
    private static long heapKb(Rig rig, String service) throws Exception {
        String pid = Files.readString(rig.copy().home().resolve(service).resolve("pid"));
        jcmd(pid, "GC.run");
        Matcher used = USED.matcher(jcmd(pid, "GC.heap_info"));
        long sum = 0;
        while (used.find()) {
            sum += Long.parseLong(used.group(1));
        }
        if (sum == 0) {
            throw new IllegalStateException("the heap of " + service + " is not told");
        }
        return sum;
    }

    private static String jcmd(String pid, String question) throws Exception {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process asked = new ProcessBuilder(jcmd.toString(), pid.strip(), question)
                .redirectErrorStream(true)
                .start();
        String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (asked.waitFor() != 0) {
            throw new IllegalStateException("jcmd " + question + ": " + answer);
        }
        return answer;
    }
}
