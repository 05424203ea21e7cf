package io.seckill.load.run;

import io.seckill.load.run.Outcome.Quantiles;
import io.seckill.load.run.Report.Flow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The one table at the end of a run. */
final class Table {

    private Table() {}

    static String of(Report report) {
        List<String> lines = new ArrayList<>();
        Plan plan = report.plan();
        Outcome told = report.told();
        lines.add("%s: %d arrivals, %d/s, on %d units; %s generator; product %s; %.1f s"
                .formatted(
                        plan.crowd().word(),
                        plan.arrivals(),
                        plan.ratePerS(),
                        plan.stock(),
                        plan.generator(),
                        report.productId(),
                        told.seconds()));
        lines.add("limits in force: " + report.limits());
        if (!report.changed().isEmpty()) {
            lines.add("limits changed meanwhile: " + report.changed());
        }
        lines.add(row("", "COUNT", "PER S", "BEST S", "P50 MS", "P95 MS", "P99 MS"));
        lines.add(row(report, Watch.ATTEMPTS, Outcome.ATTEMPT));
        lines.add(row(report, Watch.REFUSED, Outcome.REFUSED));
        lines.add(row(report, Watch.ACCEPTED, Outcome.ACCEPTED));
        lines.add(row(report, Watch.LANDED, Outcome.ORDERED));
        lines.addAll(judged(report));
        return String.join("\n", lines);
    }

    private static List<String> judged(Report report) {
        Outcome told = report.told();
        Verdict verdict = report.verdict();
        List<String> lines = new ArrayList<>();
        lines.add(
                "of %d attempts: %d accepted, %d sold out, %d bought already, %d refused, %d unknown"
                        .formatted(
                                told.attempts(),
                                told.accepted(),
                                told.soldOut(),
                                told.alreadyBought(),
                                told.refused(),
                                told.unknown()));
        if (told.gaveUp() > 0) {
            lines.add(told.gaveUp() + " buyers gave up who were told to come again");
        }
        lines.add("oversold %d, undersold %d, duplicates %d, lost %d; audit: %s"
                .formatted(
                        verdict.oversold(),
                        verdict.undersold(),
                        verdict.duplicates(),
                        verdict.lost(),
                        verdict.balanced() ? "BALANCED" : "NOT BALANCED"));
        verdict.broken().forEach(reason -> lines.add("  ! " + reason));
        lines.add(verdict.holds() ? "HOLDS" : "BROKEN");
        return lines;
    }

    private static String row(Report report, String flow, String time) {
        Flow counted = report.flows().getOrDefault(flow, new Flow(0, 0, 0));
        @Nullable Quantiles times = report.told().times().get(time);
        return row(
                flow,
                Long.toString(counted.count()),
                number(counted.perS()),
                number(counted.bestPerS()),
                times == null ? "-" : number(times.p50()),
                times == null ? "-" : number(times.p95()),
                times == null ? "-" : number(times.p99()));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String row(String... cells) {
        return "%-20s %9s %9s %9s %9s %9s %9s".formatted((Object[]) cells);
    }
}
