package io.seckill.load.bench;

import io.seckill.contracts.TokenKeyFile;
import io.seckill.load.client.Generator;
import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.PartUsage;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** What the scenarios share: the copy, its sales and limits, and one way to measure. */
final class Rig {

    static final int CONNECTIONS = 64;
    private static final long LIMIT_MS = 600_000;

    private final RunningCopy copy;
    private final int scale;
    private final BuyerTokens tokens;
    private final SaleAdmin sales;
    private final LimitKeeper limits;
    private final AtomicLong products = new AtomicLong(System.currentTimeMillis() * 1_000);

    /** scale: 1 as in docs/benchmarks.md; 100: a hundredth of every count, for a smoke run. */
    Rig(RunningCopy copy, int scale, LimitKeeper limits) {
        this.copy = copy;
        this.scale = scale;
        this.limits = limits;
        TokenKeyFile.Key key =
                TokenKeyFile.read("SECKILL_TOKEN_KEYS", copy.tokenKeys()).get(0);
        tokens = new BuyerTokens(key.kid(), key.secret(), System.currentTimeMillis());
        sales = new SaleAdmin(copy, tokens);
    }

    /** What was counted, and what each part used of the CPU meanwhile. */
    record Measured(Tally tally, Map<String, Long> cpuUs) {}

    RunningCopy copy() {
        return copy;
    }

    BuyerTokens tokens() {
        return tokens;
    }

    SaleAdmin sales() {
        return sales;
    }

    LimitKeeper limits() {
        return limits;
    }

    int scaled(int count) {
        return Math.max(1, count / scale);
    }

    /** A product that no earlier run has sold. */
    String newProduct() {
        return Long.toString(products.incrementAndGet());
    }

    /** As fast as it goes, through the edge. */
    Measured measure(Traffic traffic) {
        return measure(copy.edgePort(), traffic);
    }

    Measured measure(int port, Traffic traffic) {
        Map<String, Long> before = PartUsage.cpuUs(copy);
        Tally tally = new Generator(port, CONNECTIONS, 0, LIMIT_MS).run(traffic);
        return new Measured(tally, PartUsage.since(before, PartUsage.cpuUs(copy)));
    }
}
