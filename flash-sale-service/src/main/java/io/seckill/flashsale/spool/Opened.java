package io.seckill.flashsale.spool;

import io.seckill.flashsale.spool.SpoolFile.UnreadableException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
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
        SpoolFile file;
        try {
            file = SpoolFile.open(folder);
        } catch (UnreadableException e) {
            if (!e.isDamaged()) {
                throw e;
            }
            return new Opened(anew(folder, nowMs, e.toString()), Map.of(), 1);
        }
        Map<String, Spooled> good = new HashMap<>();
        Set<String> damaged = new LinkedHashSet<>();
        if (!file.read((key, text) -> read(key, text, good, damaged))) {
            file.close();
            IllegalStateException e = new IllegalStateException("a part of it cannot be read");
            return new Opened(damaged(folder, good, nowMs, e), good, damaged.size() + 1);
        }
        if (!damaged.isEmpty()) {
            LOG.error("{}: {} damaged records are kept aside", folder, damaged.size());
        }
        try {
            file.setAside(damaged);
            file.commit();
            return new Opened(file, good, damaged.size());
        } catch (RuntimeException | AssertionError e) {
            file.close();
            return new Opened(damaged(folder, good, nowMs, e), good, damaged.size() + 1);
        }
    }

    /** For a file that was good, and is to hold just what is known; a damaged one is put aside. */
    static SpoolFile again(Path folder, Map<String, Spooled> known, long nowMs) {
        SpoolFile file;
        try {
            file = SpoolFile.open(folder);
        } catch (UnreadableException e) {
            if (!e.isDamaged()) {
                throw e;
            }
            file = anew(folder, nowMs, e.toString());
        }
        try {
            file.keepOnly(known);
            return file;
        } catch (RuntimeException | AssertionError e) {
            file.close();
            return damaged(folder, known, nowMs, e);
        }
    }

    /** A new file with all that is known; throws where that is not its fault. */
    private static SpoolFile damaged(
            Path folder, Map<String, Spooled> known, long nowMs, Throwable e) {
        if (!SpoolFile.isDamage(e)) {
            throw new IllegalStateException("seckill.spool-dir: " + folder + ": " + e, e);
        }
        SpoolFile file = anew(folder, nowMs, e.toString());
        file.keepOnly(known);
        return file;
    }

    private static SpoolFile anew(Path folder, long nowMs, String why) {
        SpoolFile.moveAside(folder, nowMs);
        LOG.error("{}: the spool is put aside as spool.damaged-{}: {}", folder, nowMs, why);
        return SpoolFile.open(folder);
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
