package io.seckill.stock.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Stock;
import io.seckill.testkit.Metrics;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** Prints what a turn costs this service, the shard and the database together. */
class ReconcilerCostIT {

    private static final int HELD = 100_000;
    private static final int TURNS = 100;
    private static final String HOLD = """
            for i = 1, tonumber(ARGV[1]) do
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
            jedis.eval(
                    HOLD, List.of(RedisKeys.reservations("821")), List.of(Integer.toString(HELD)));
            control.set(RedisKeys.BACKLOG, "{\"estimatedWaitMs\":0,\"atMs\":1}");
        }
        stock.sql().update(ORDER);
        Reconciler reconciler = stock.bean(Reconciler.class);
        turns(reconciler);

        Metrics before = stock.metrics();
        long cpuMs = cpuMs();
        turns(reconciler);
        double eachMs = (cpuMs() - cpuMs) / (double) TURNS;

        System.out.printf("a turn costs %.1f ms of CPU: %.1f %% of a core%n", eachMs, eachMs / 10);
        assertThat(stock.metrics().sum("seckill_differences_total"))
                .isEqualTo(before.sum("seckill_differences_total"));
    }

    private static void turns(Reconciler reconciler) {
        for (int i = 0; i < TURNS; i++) {
            reconciler.turn();
        }
    }

    @AfterEach
    void forget() {
        stock.sql().update("DELETE FROM orders WHERE product_id = '821'");
    }

    private long cpuMs() throws IOException {
        long own = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
        return own + ofProcess(stock.shards.get(0).pid()) + ofProcess(stock.database.pid());
    }

    /** User and system time; Linux counts them in hundredths of a second. */
    private static long ofProcess(long pid) throws IOException {
        String[] stat = Files.readString(Path.of("/proc/" + pid + "/stat"))
                .replaceFirst(".*\\) ", "")
                .split(" ");
        return 10 * (Long.parseLong(stat[11]) + Long.parseLong(stat[12]));
    }
}
