package io.seckill.load.run;

import io.seckill.load.Command;
import io.seckill.load.MisuseException;
import io.seckill.load.Progress;
import io.seckill.load.client.Generator;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SaleAdmin.Books;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.NoSuchElementException;

/** `load NAME …` and `load check REPORT`: 0 when thresholds and books hold, else 1. */
public final class LoadCommand implements Command {

    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
    private static final int CONNECTIONS = 256;
    private static final long AFTERWARDS_MS = 90_000; // for the tries and polls of the last arrival

    /** The command line has looked at the words; a second look costs nothing. */
    @Override
    public void check(List<String> words) {
        try {
            if (!words.get(0).equals("check")) {
                Plan.of(words);
            }
        } catch (IllegalArgumentException | NoSuchElementException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        BuyerTokens tokens = BuyerTokens.of(copy);
        SaleAdmin sales = new SaleAdmin(copy, tokens);
        if (words.get(0).equals("check")) {
            return told(check(Path.of(words.get(1)), sales));
        }
        return run(Plan.of(words), copy, tokens, sales);
    }

    private static Report check(Path path, SaleAdmin sales)
            throws IOException, InterruptedException {
        Report kept = Report.read(path);
        return kept.judgedBy(RunSale.settledBooks(sales, kept.productId()));
    }

    private static int run(Plan plan, RunningCopy copy, BuyerTokens tokens, SaleAdmin sales)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(copy.home()
                .resolve("reports")
                .resolve("load-" + plan.crowd().word() + "-"
                        + STAMP.format(LocalDateTime.now(ZoneId.systemDefault()))));
        Report report;
        try (LimitKeeper limits = new LimitKeeper(copy);
                RunSale sale = RunSale.open(copy, sales, plan)) {
            Progress.say("sale of product " + sale.productId() + ", " + plan.stock() + " units");
            RunLimits inForce = RunLimits.prepare(plan, sale.productId(), limits);
            if (plan.crowd() == Crowd.SOLD_OUT) {
                sale.sellOut(tokens);
            }
            report = measured(plan, copy, tokens, sale, inForce, folder);
        }
        report.write(folder);
        int code = told(report);
        System.out.println("report: " + folder);
        return code;
    }

    /**
     * The counters are watched until the books have settled, for orders land after the last
     * answer.
     */
    private static Report measured(
            Plan plan,
            RunningCopy copy,
            BuyerTokens tokens,
            RunSale sale,
            RunLimits inForce,
            Path folder)
            throws IOException, InterruptedException {
        Instant startedAt = Instant.now();
        Watch watch = new Watch(copy, Progress::live).start();
        Outcome outcome;
        Books books;
        try (watch) {
            outcome = plan.k6().isEmpty()
                    ? builtIn(plan, copy, tokens, sale.productId())
                    : new K6Run(copy, folder).run(plan, sale.productId(), inForce.words());
            books = sale.settledBooks();
        }
        Progress.endLive();
        String changed = inForce.changed();
        return new Report(
                plan,
                sale.productId(),
                startedAt.toString(),
                inForce.words(),
                changed,
                outcome,
                watch.flows(),
                books,
                Verdict.of(outcome, books, plan, !changed.isEmpty()));
    }

    private static Outcome builtIn(
            Plan plan, RunningCopy copy, BuyerTokens tokens, String productId) {
        String run = "b" + Long.toString(System.currentTimeMillis(), 36);
        CrowdTraffic crowd = new CrowdTraffic(plan, productId, run, tokens::buyer);
        long lastS = Math.round(crowd.dueS(crowd.size(), plan.ratePerS()));
        return crowd.outcome(new Generator(
                        copy.edgePort(),
                        CONNECTIONS,
                        plan.ratePerS(),
                        lastS * 1_000 + AFTERWARDS_MS)
                .run(crowd));
    }

    private static int told(Report report) {
        System.out.println(Table.of(report));
        return report.verdict().holds() ? 0 : 1;
    }
}
