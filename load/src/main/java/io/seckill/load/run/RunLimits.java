package io.seckill.load.run;

import io.seckill.contracts.Limits;
import io.seckill.load.copy.LimitKeeper;

import java.util.List;
import java.util.function.BiConsumer;

/** The limits that a run needs: raised only as far as it needs them, and all of them in words. */
final class RunLimits {

    private RunLimits() {}

    /**
     * Attempts come unevenly and again: twice the rate. A storm wants a product that lets half of
     * its buyers pass, or nobody would be told to wait.
     */
    static String prepare(Plan plan, String productId, LimitKeeper limits)
            throws InterruptedException {
        long attemptsPerS = 2L * (plan.ratePerS() + plan.tenthPerS());
        List<String> words = List.of(
                raised(limits, Limits.GLOBAL_QPS, attemptsPerS, limits::putGlobal),
                plan.crowd() == Crowd.RETRY_STORM
                        ? halved(plan, productId, limits)
                        : raised(
                                limits,
                                Limits.PRODUCT_QPS,
                                attemptsPerS,
                                (key, value) -> limits.putOfProduct(productId, key, value)),
                Limits.QUOTA_PERCENT + " " + limits.inForce().get(Limits.QUOTA_PERCENT),
                raised(
                        limits,
                        Limits.ORDER_RATE_PER_SECOND,
                        plan.ratePerS() * 11L / 10 + 1,
                        limits::putGlobal));
        LimitKeeper.awaitFelt();
        return String.join(", ", words);
    }

    private static String raised(
            LimitKeeper limits, String key, long need, BiConsumer<String, Long> put) {
        String now = limits.inForce().getOrDefault(key, "0");
        if (now.equals("0")) {
            throw new IllegalStateException(
                    key + " is 0: all sales are closed, and this run would open them");
        }
        if (Long.parseLong(now) >= need) {
            return key + " " + now;
        }
        put.accept(key, need);
        return key + " " + need + " (raised from " + now + ")";
    }

    private static String halved(Plan plan, String productId, LimitKeeper limits) {
        long half = Math.max(1, plan.ratePerS() / 2);
        limits.putOfProduct(productId, Limits.PRODUCT_QPS, half);
        return Limits.PRODUCT_QPS + " " + half + " (set for this run)";
    }
}
