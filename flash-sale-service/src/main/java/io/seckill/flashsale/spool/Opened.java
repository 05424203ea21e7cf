package io.seckill.flashsale.spool;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file as it was found at the start, and what is good in it. A damaged record is kept aside in
 * it; a file that is damaged is put aside whole, and what could be read of it is in a new one.
 *
 * @param damaged records, and 1 for a file of which nobody knows how many were in it
 */
record Opened(SpoolFile file, Map<String, Spooled> good, int damaged) {

    private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

    /** Throws IllegalStateException where another process has it, or the disk takes nothing. */
    static Opened begin(Path folder, long nowMs) {
        Map<String, Spooled> good = new HashMap<>();
        Set<String> damaged = new LinkedHashSet<>();
        Opened opened = open(folder, good, nowMs, file -> {
            file.read((key, text) -> read(key, text, good, damaged));
            file.setAside(damaged);
            file.commit();
        });
        if (!damaged.isEmpty()) {
            LOG.error("{}: {} damaged records are kept aside", folder, damaged.size());
        }
        return new Opened(opened.file, good, damaged.size() + opened.damaged);
    }

    /** For a file that was good, and is to hold just what is known. */
    static SpoolFile again(Path folder, Map<String, Spooled> known, long nowMs) {
        return open(folder, known, nowMs, file -> file.keepOnly(known)).file;
    }

    /** The file once it has borne this; for one that is damaged, a new one with what is known. */
    private static Opened open(
            Path folder, Map<String, Spooled> known, long nowMs, Consumer<SpoolFile> first) {
        try {
            return new Opened(opened(folder, first), known, 0);
        } catch (RuntimeException | AssertionError e) {
            if (!SpoolFile.isDamage(e)) {
                throw new IllegalStateException(
                        "seckill.spool-dir: " + folder + ": " + e.getMessage(), e);
            }
            SpoolFile.moveAside(folder, nowMs);
            LOG.error(
                    "{}: the spool is put aside as spool.damaged-{}: {}",
                    folder,
                    nowMs,
                    e.toString());
            return new Opened(opened(folder, file -> file.keepOnly(known)), known, 1);
        }
    }

    private static SpoolFile opened(Path folder, Consumer<SpoolFile> first) {
        SpoolFile file = SpoolFile.open(folder);
        try {
            first.accept(file);
            return file;
        } catch (RuntimeException | AssertionError e) {
            file.close();
            throw e;
        }
    }

    private static void read(
            String key, String text, Map<String, Spooled> good, Set<String> damaged) {
        try {
            good.put(key, Spooled.of(key, text));
        } catch (IllegalArgumentException e) {
            damaged.add(key);
        }
    }
}
