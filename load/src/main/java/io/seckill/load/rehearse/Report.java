package io.seckill.load.rehearse;

import io.seckill.contracts.Limits;
import io.seckill.load.rehearse.Advice.Now;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** What a rehearsal says: the table, then commands to copy, each with its reason. */
final class Report {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private Report() {}

    static String text(Original original, Findings found, Now now, Instant at) {
        StringBuilder text = new StringBuilder();
        text.append("Rehearsal of product " + original.productId() + " at " + at + ": a sale with "
                + original.perUserLimit() + " per user and the path " + original.path() + ".\n\n");
        text.append(row("WHAT", "PER SECOND", ""));
        text.append(row(
                "refused at the edge",
                Advice.figure(found.refused()),
                found.clientWasTheLimit() ? "the generator was the limit" : ""));
        text.append(row(
                "accepted (deducted and durably queued)",
                Advice.figure(found.accepted()),
                String.format(
                        Locale.ROOT,
                        "p99 %.0f ms, %d times BUSY",
                        found.acceptedP99Ms(),
                        found.busy())));
        text.append(row(
                "landed (orders on disk)",
                Advice.figure(found.landed()),
                found.landingKeptUp() ? "kept up: at least so many" : ""));
        text.append("\nIn force before: " + Limits.GLOBAL_QPS + " " + now.globalQps() + ", "
                + Limits.PRODUCT_QPS + " " + now.productQps() + ", " + Limits.ORDER_RATE_PER_SECOND
                + " " + now.orderRate() + ". To set:\n");
        for (Advice advice : Advice.of(original.productId(), found, now)) {
            text.append("\n  ./seckill " + advice.command() + " " + advice.value()
                    + (advice.isAsItIs() ? "   # as it is" : "") + "\n      " + advice.why()
                    + "\n");
        }
        return text.toString();
    }

    private static String row(String what, String figure, String remark) {
        return String.format(Locale.ROOT, "%-40s %12s  %s", what, figure, remark)
                        .stripTrailing() + "\n";
    }

    /** The file it was written to. */
    static Path write(Path home, String productId, String text, Instant at) throws IOException {
        Path folder = Files.createDirectories(home.resolve("reports"));
        Path file = folder.resolve("rehearse-" + productId + "-" + STAMP.format(at) + ".txt");
        return Files.writeString(file, text);
    }
}
