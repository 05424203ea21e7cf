package io.seckill.load.rehearse;

import io.seckill.contracts.Ids;
import io.seckill.contracts.Limits;
import io.seckill.load.Command;
import io.seckill.load.MisuseException;
import io.seckill.load.Progress;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.rehearse.Advice.Now;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * `rehearse PRODUCT [--quick]`: what this installation can do with a sale like PRODUCT's, and which
 * limits to set. Leaves nothing but its report: the synthetic sale is removed and limits are put
 * back, also after Ctrl-C, which says so.
 */
public final class RehearseCommand implements Command {

    private static final long MEASURE_MS = 6_000;
    private static final long QUICK_MS = 1_000;
    private static final long REMOVE_LIMIT_MS = 60_000;
    private static final long PAUSE_MS = 500;
    private static final long LEAST_PRODUCT = 100_000_000_000_000_000L; // 18 digits

    @Override
    public void check(List<String> words) {
        if (words.isEmpty()
                || !Ids.isProduct(words.get(0))
                || words.size() > (isQuick(words) ? 2 : 1)) {
            throw new MisuseException("rehearse wants one PRODUCT, and --quick for a short one");
        }
    }

    private static boolean isQuick(List<String> words) {
        return words.size() == 2 && words.get(1).equals("--quick");
    }

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        Original original = Original.read(copy, words.get(0));
        Progress.say(
                "this costs real buyers throughput while it runs: some 20 s, 2 minutes at most");
        Instant at = Instant.now();
        String text = rehearsed(original, copy, isQuick(words) ? QUICK_MS : MEASURE_MS, at);
        Path report = Report.write(copy.home(), original.productId(), text, at);
        System.out.println(text + "\nThis report: " + report);
        return 0;
    }

    private String rehearsed(Original original, RunningCopy copy, long measureMs, Instant at)
            throws Exception {
        try (LimitKeeper limits = new LimitKeeper(copy)) {
            Rehearsal rehearsal = new Rehearsal(copy, limits);
            Now now = new Now(
                    limits.global(Limits.GLOBAL_QPS),
                    limits.ofProduct(original.productId(), Limits.PRODUCT_QPS),
                    limits.global(Limits.ORDER_RATE_PER_SECOND));
            Synthetic sale = new Synthetic(rehearsal.sales());
            try {
                Findings found = rehearsal.run(original, sale.productId, measureMs);
                return Report.text(original, found, now, at);
            } finally {
                limits.putBack();
                Progress.say("the limits are as they were");
                sale.end();
            }
        }
    }

    /** The rehearsal's sale, which goes however the run ends. */
    private static final class Synthetic {

        private final SaleAdmin sales;
        private final String productId = Long.toString(
                ThreadLocalRandom.current().nextLong(LEAST_PRODUCT, 10 * LEAST_PRODUCT));
        private final Thread interrupted = new Thread(this::remove, "remove-the-sale");

        Synthetic(SaleAdmin sales) {
            this.sales = sales;
            Runtime.getRuntime().addShutdownHook(interrupted);
        }

        /** After Ctrl-C there is nothing to report: the figures are those of a sale cut off. */
        void end() throws InterruptedException {
            try {
                Runtime.getRuntime().removeShutdownHook(interrupted);
            } catch (IllegalStateException e) {
                throw new InterruptedException("Ctrl-C removes the sale");
            }
            remove();
        }

        private void remove() {
            try {
                Progress.say(
                        isGone()
                                ? "the rehearsal's sale is removed"
                                : "the rehearsal's sale has ended and goes by itself");
            } catch (Exception e) {
                Progress.say(
                        "the rehearsal's sale is still there: ./seckill sale remove " + productId);
            }
        }

        /** False after a minute: something of it is still on its way. */
        private boolean isGone() throws IOException, InterruptedException {
            long untilMs = System.currentTimeMillis() + REMOVE_LIMIT_MS;
            while (!sales.remove(productId)) {
                if (System.currentTimeMillis() > untilMs) {
                    return false;
                }
                Thread.sleep(PAUSE_MS);
            }
            return true;
        }
    }
}
