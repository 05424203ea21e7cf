package io.seckill.stock.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Bound;
import io.seckill.stock.Stock;
import io.seckill.stock.recovery.Losses;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.RedisProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What a turn costs this service, the shard and the database together. */
class ReconcilerCostIT {

    private static final int HELD = 100_000;
    private static final int PAGE = 10_000; // of one script, on a busy machine too
    private static final int TURNS = 100;
    private static final String HOLD = """
            for i = ARGV[1] + 1, ARGV[1] + ARGV[2] do
                redis.call('HSET', KEYS[1], string.format('f%031x', i),
                    'R|u-' .. i .. '|1|1000|1|' .. i)
            end""";
    private static final String ORDER = """
            INSERT INTO orders (order_sn, reservation_id, product_id, user_id, shard, epoch, seq,
              quantity, price_cents, status, reserved_at_ms, created_at_ms, pay_by_ms)
            SELECT CONCAT('9', LPAD(seq, 23, '0')), CONCAT('f', LPAD(LOWER(HEX(seq)), 31, '0')),
              '821', CONCAT('u-', seq), 0, 1, seq, 1, 0, 'UNPAID', 1000, 1000, 1000 FROM seq_1_to_""" + HELD;

    private final Stock stock = Stock.running();

    @Test
    void turn_over_a_hundred_thousand_open_reservations_finds_nothing() throws IOException {
        assertThat(stock.create("{'productId':'821','stock':" + 3 * HELD + "}").status())
                .isEqualTo(201);
        stock.sql().update("UPDATE shard_ledger SET state = 'RETIRED' WHERE product_id <> '821'");
        try (Jedis jedis = stock.shards.get(0).connect();
                Jedis control = stock.control.connect()) {
            for (int from = 0; from < HELD; from += PAGE) {
                jedis.eval(
                        HOLD,
                        List.of(RedisKeys.reservations("821")),
                        List.of(Integer.toString(from), Integer.toString(PAGE)));
            }
            control.set(RedisKeys.BACKLOG, "{\"estimatedWaitMs\":0,\"atMs\":1}");
        }
        stock.bulk(ORDER);
        Reconciler reconciler = stock.bean(Reconciler.class);
        turns(reconciler);

        Metrics before = stock.metrics();
        long cpuMs = cpuMs();
        turns(reconciler);
        double eachMs = (cpuMs() - cpuMs) / (double) TURNS;

        Bound.most("the reconciler, with a turn each second", eachMs / 10, 3, "% of a core");
        assertThat(stock.metrics().sum("seckill_differences_total"))
                .isEqualTo(before.sum("seckill_differences_total"));
    }

    /** In a full catalog most sales hold little: what a round costs is their number. */
    @Test
    void many_parts_that_hold_little_are_visited_in_a_turn() throws IOException {
        int sales = HeldWalk.MAX_VISITS / 3 + 1;
        IntStream.range(0, sales)
                .forEach(i -> stock.sell("{'productId':'" + (82_200 + i) + "','stock':3}"));
        stock.sql()
                .update("UPDATE shard_ledger SET state = 'RETIRED'"
                        + " WHERE product_id NOT LIKE '822__'");
        HeldWalk walk = new HeldWalk(
                stock.bean(ReconcileMapper.class),
                stock.bean(QuantityStocks.class),
                stock.bean(Losses.class),
                stock.bean(Repairs.class));
        walk.turn(0, System.currentTimeMillis());
        long cpuMs = cpuMs();
        long startNs = System.nanoTime();
        for (int i = 0; i < TURNS; i++) {
            walk.turn(0, System.currentTimeMillis()); // of two turns one has the last part or two
        }
        System.out.printf(
                "a visit costs %.3f ms, %.3f ms of CPU%n",
                (System.nanoTime() - startNs) / 1e6 / TURNS / (3.0 * sales / 2),
                (cpuMs() - cpuMs) / (double) TURNS / (3.0 * sales / 2));

        String last = Integer.toString(82_200 + sales - 1);
        stock.withoutRecovery(() -> {
            try (Jedis jedis = stock.shards.get(2).connect()) {
                jedis.hset(RedisKeys.stock(last), "init", "9");
            }
            walk.turn(0, System.currentTimeMillis());
            walk.turn(0, System.currentTimeMillis());
            assertThat(stock.sql()
                            .queryForObject(
                                    "SELECT state FROM shard_ledger"
                                            + " WHERE product_id = ? AND shard = 2",
                                    String.class,
                                    last))
                    .isEqualTo("RECOVERING");
        });
    }

    private static void turns(Reconciler reconciler) {
        for (int i = 0; i < TURNS; i++) {
            reconciler.turn();
        }
    }

    @AfterEach
    void forget() {
        stock.bulk("DELETE FROM orders WHERE product_id = '821'");
    }

    private long cpuMs() throws IOException {
        long own = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
        long others = ofProcess(stock.database.pid());
        for (RedisProcess shard : stock.shards) {
            others += ofProcess(shard.pid());
        }
        return own + others;
    }

    /** User and system time; Linux counts them in hundredths of a second. */
    private static long ofProcess(long pid) throws IOException {
        String[] stat = Files.readString(Path.of("/proc/" + pid + "/stat"))
                .replaceFirst(".*\\) ", "")
                .split(" ");
        return 10 * (Long.parseLong(stat[11]) + Long.parseLong(stat[12]));
    }
}
