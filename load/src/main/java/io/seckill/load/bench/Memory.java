package io.seckill.load.bench;

import static java.util.Objects.requireNonNull;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Tally;
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

/**
 * Whether the services keep something of each order, and flash-sale-service of each attempt: what
 * their heaps hold after a collection.
 */
final class Memory implements Scenario {

    private static final int ORDERS = 10_000;
    private static final int TIMES = 10;
    private static final int ATTEMPTS = 1_000_000;
    private static final String FLASH_SALE = "flash-sale";
    private static final List<String> SERVICES = List.of("order", FLASH_SALE, "stock");
    private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String about() {
        return "What each service's heap holds after a collection, and its resident memory, once"
                + " 100,000 orders have landed, against the same after 10,000; then that of"
                + " flash-sale-service once it was asked 10,000,000 times for a sale that is sold out,"
                + " each time for another user, against the same after 1,000,000; 1.00 is flat.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        String wrong = sell(rig, rig.scaled(ORDERS));
        Map<String, Double> before = megabytes(rig);
        wrong = Row.joined(wrong, sell(rig, rig.scaled(ORDERS * (TIMES - 1))));
        Map<String, Double> after = megabytes(rig);
        List<Row> rows = new ArrayList<>(rows("", before, after, wrong));
        rows.addAll(refused(rig));
        return rows;
    }

    /** Past the edge, which would refuse them itself. */
    private static List<Row> refused(Rig rig) throws Exception {
        String service = "127.0.0.1:" + rig.copy().flashSalePort();
        FloorNginx nginx = rig.start(new FloorNginx(service), "floor nginx", FloorNginx::pid);
        String product = Selling.soldOut(rig);
        String wrong = refused(rig, nginx, product);
        Map<String, Double> before = megabytes(rig);
        for (int i = 1; i < TIMES; i++) {
            wrong = Row.joined(wrong, refused(rig, nginx, product));
        }
        Map<String, Double> after = megabytes(rig);
        after.keySet().removeIf(what -> !what.startsWith(FLASH_SALE));
        return rows(", refusing", before, after, wrong);
    }

    private static String refused(Rig rig, FloorNginx nginx, String product) {
        int count = rig.scaled(ATTEMPTS);
        Progress.say("attempts: " + count);
        Tally tally = rig.measure(nginx.passPort(), Selling.tooLate(rig, product, count))
                .tally();
        int refused = tally.count("SOLD_OUT") + tally.count("BUSY");
        return refused == count ? "" : "%d of %d were refused".formatted(refused, count);
    }

    private static List<Row> rows(
            String when, Map<String, Double> before, Map<String, Double> after, String wrong) {
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<String, Double> each : after.entrySet()) {
            double then = requireNonNull(before.get(each.getKey()), "both times the same services");
            rows.add(new Row(each.getKey() + when, each.getValue(), "MB")
                    .against("after a tenth", then)
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
