package io.seckill.load.rehearse;

import io.seckill.contracts.Ids;
import io.seckill.contracts.Limits;
import io.seckill.load.Command;
import io.seckill.load.MisuseException;
import io.seckill.load.Progress;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SyntheticSale;
import io.seckill.load.rehearse.Advice.Now;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * `rehearse PRODUCT [--quick]`: what this installation can do with a sale like PRODUCT's, and which
 * limits to set. Leaves nothing but its report: the synthetic sale is removed and limits are put
 * back, also after Ctrl-C, which says so.
 */
public final class RehearseCommand implements Command {

    private static final long MEASURE_MS = 6_000;
    private static final long QUICK_MS = 1_000;

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
        BuyerTokens tokens = BuyerTokens.of(copy);
        SaleAdmin sales = new SaleAdmin(copy, tokens);
        SyntheticSale sale = new SyntheticSale(sales);
        String text;
        LimitKeeper limits = new LimitKeeper(copy);
        try (sale;
                limits) {
            Now now = new Now(
                    limits.global(Limits.GLOBAL_QPS),
                    limits.ofProduct(original.productId(), Limits.PRODUCT_QPS),
                    limits.global(Limits.ORDER_RATE_PER_SECOND));
            Findings found =
                    new Rehearsal(copy, tokens, sales, limits).run(original, sale, measureMs);
            text = Report.text(original, found, now, at);
        }
        Progress.say(limits.words());
        if (!sale.isLeft()) {
            Progress.say("the rehearsal's sale is removed");
        }
        return text;
    }
}
