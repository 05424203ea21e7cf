package io.seckill.load.bench;

import io.seckill.load.copy.Database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** How many orders were committed at which time, as somebody who looked now and then saw it. */
final class Landing {

    private static final double FROM = 0.1; // the middle: no wait for the first, no tail
    private static final double TO = 0.9;

    private static final long LIMIT_S = 600;
    private static final long LOOK_MS = 50;

    private record Look(long atNs, long landed) {}

    private final List<Look> looks = new ArrayList<>();

    /** Looks, and says whether it was the last time. */
    interface Looking {

        boolean isOver() throws SQLException;
    }

    /** Looks until so many orders, of all sales, are committed. */
    static Landing awaitAll(Database database, long total)
            throws SQLException, InterruptedException {
        Landing landing = new Landing();
        await(() -> {
            landing.add(System.nanoTime(), database.landed());
            return landing.last().landed() >= total;
        });
        return landing;
    }

    static void await(Looking looking) throws SQLException, InterruptedException {
        long startNs = System.nanoTime();
        while (!looking.isOver()) {
            if (System.nanoTime() - startNs > LIMIT_S * 1_000_000_000) {
                throw new IllegalStateException("not all landed in " + LIMIT_S + " s");
            }
            Thread.sleep(LOOK_MS);
        }
    }

    void add(long atNs, long landed) {
        looks.add(new Look(atNs, landed));
    }

    /** What came in between the first look and the last. */
    long count() {
        return looks.isEmpty() ? 0 : last().landed() - looks.get(0).landed();
    }

    /** Over the middle four fifths of what came in; NaN when it came at one look. */
    double perSecond() {
        double seconds = (atNs(TO) - atNs(FROM)) / 1e9;
        return seconds > 0 ? (TO - FROM) * count() / seconds : Double.NaN;
    }

    /** The same over the middle four fifths of what another saw. */
    double perSecond(Landing other) {
        long fromNs = (long) other.atNs(FROM);
        long toNs = (long) other.atNs(TO);
        return (landedAt(toNs) - landedAt(fromNs)) / ((toNs - fromNs) / 1e9);
    }

    /** On a straight line between two looks. */
    private double landedAt(long ns) {
        Look before = looks.get(0);
        for (Look look : looks) {
            if (look.atNs() >= ns) {
                double step = look.atNs() - before.atNs();
                double share = step == 0 ? 0 : (ns - before.atNs()) / step;
                return before.landed() + share * (look.landed() - before.landed());
            }
            before = look;
        }
        return before.landed();
    }

    private Look last() {
        return looks.get(looks.size() - 1);
    }

    /** When this part of it was in, on a straight line between two looks. */
    private double atNs(double part) {
        double wanted = looks.get(0).landed() + part * count();
        Look before = looks.get(0);
        for (Look look : looks) {
            if (look.landed() >= wanted) {
                double step = look.landed() - before.landed();
                double share = step == 0 ? 0 : (wanted - before.landed()) / step;
                return before.atNs() + share * (look.atNs() - before.atNs());
            }
            before = look;
        }
        return last().atNs();
    }
}
