package io.seckill.load.run;

import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.copy.LimitKeeper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The limits of a run: raised only as far as it needs them, all of them in words, and those that
 * an operator changed while it went on.
 */
final class RunLimits {

    private final LimitKeeper limits;
    private final String productId;
    private final String words;
    private final Map<String, Long> atStart;

    private RunLimits(LimitKeeper limits, String productId, String words) {
        this.limits = limits;
        this.productId = productId;
        this.words = words;
        atStart = now();
    }

    /**
     * Attempts come unevenly and again: twice the rate. A storm wants a product that lets half of
     * its buyers pass, or nobody would be told to wait.
     */
    static RunLimits prepare(Plan plan, String productId, LimitKeeper limits)
            throws InterruptedException {
        long attemptsPerS = 2L * (plan.ratePerS() + plan.tenthPerS());
        List<String> words = List.of(
                raised(limits, Limits.GLOBAL_QPS, attemptsPerS, forAllSales(limits)),
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
                        forAllSales(limits)));
        LimitKeeper.awaitFelt();
        return new RunLimits(limits, productId, String.join(", ", words));
    }

    private static BiConsumer<String, Long> forAllSales(LimitKeeper limits) {
        return (key, value) -> {
            limits.putGlobal(key, value);
            Progress.say(key + " is raised to " + value + " meanwhile, for all sales");
        };
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

    private Map<String, Long> now() {
        Map<String, Long> now = new LinkedHashMap<>();
        now.put(Limits.GLOBAL_QPS, limits.global(Limits.GLOBAL_QPS));
        now.put(Limits.PRODUCT_QPS, limits.ofProduct(productId, Limits.PRODUCT_QPS));
        now.put(Limits.QUOTA_PERCENT, limits.ofProduct(productId, Limits.QUOTA_PERCENT));
        now.put(Limits.ORDER_RATE_PER_SECOND, limits.global(Limits.ORDER_RATE_PER_SECOND));
        return now;
    }

    /** In force when the crowd comes. */
    String words() {
        return words;
    }

    /** What is no longer as it was then, in words; empty when all is. */
    String changed() {
        Map<String, Long> now;
        try {
            now = now();
        } catch (JedisException e) {
            return "not to be read at the end: " + e.getMessage();
        }
        return now.entrySet().stream()
                .filter(each -> !each.getValue().equals(atStart.get(each.getKey())))
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
    }
}
