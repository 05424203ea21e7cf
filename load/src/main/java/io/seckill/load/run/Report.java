package io.seckill.load.run;

import io.seckill.contracts.Json;
import io.seckill.load.copy.SaleAdmin.Books;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A run and how it ended, as `report.json` keeps it.
 *
 * @param limits in force when the crowd came, in words
 * @param changed those that somebody changed meanwhile, in words; else empty
 * @param flows what the parts counted meanwhile, by {@link Watch}'s names
 */
record Report(
        Plan plan,
        String productId,
        String startedAt,
        String limits,
        String changed,
        Outcome told,
        Map<String, Flow> flows,
        Books books,
        Verdict verdict) {

    static final String FILE = "report.json";

    /**
     * Something that was counted once a second.
     *
     * @param perS mean over the time in which it went on
     * @param bestPerS the highest of a second
     */
    record Flow(long count, double perS, double bestPerS) {}

    /** Today's books instead, and what follows from them. */
    Report judgedBy(Books now) {
        Verdict again = Verdict.of(told, now, plan, !changed.isEmpty());
        return new Report(plan, productId, startedAt, limits, changed, told, flows, now, again);
    }

    void write(Path folder) throws IOException {
        Files.writeString(folder.resolve(FILE), Json.write(this) + "\n");
    }

    /** Of a file, or of the folder it is in. */
    static Report read(Path path) throws IOException {
        Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("there is no report " + file);
        }
        return Json.read(Files.readString(file), Report.class);
    }
}
