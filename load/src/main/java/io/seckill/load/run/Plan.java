package io.seckill.load.run;

import java.util.Iterator;
import java.util.List;

/**
 * What a run is asked for. Built from words that the command line has checked already.
 *
 * @param users of a spike: who come at T0; of others how many different ones, 0: each arrival
 *     another one
 * @param k6 the program; empty: the built-in generator
 */
record Plan(
        Crowd crowd, int ratePerS, int durationS, int users, long stock, String k6, boolean keep) {

    private static final int STEADY_USERS = 1_000;
    private static final int SPIKE_BURST_S = 3;
    private static final int SOLD_OUT_STOCK = 12;
    private static final long MAX_ARRIVALS = 2_000_000;
    private static final long MAX_SOLD_OUT_STOCK = 20_000; // sold before, in well under a minute

    /** NAME [--rate R] [--stock N] [--users U] [--duration SECONDS] [--k6 PROGRAM] [--keep]. */
    static Plan of(List<String> words) {
        Iterator<String> rest = words.iterator();
        Crowd crowd = Crowd.of(rest.next());
        int rate = crowd.ratePerS();
        int duration = crowd.durationS();
        int users = -1;
        long stock = 0;
        String k6 = "";
        boolean keep = false;
        while (rest.hasNext()) {
            String word = rest.next();
            switch (word) {
                case "--rate" -> rate = Integer.parseInt(rest.next());
                case "--duration" -> duration = Integer.parseInt(rest.next());
                case "--users" -> users = Integer.parseInt(rest.next());
                case "--stock" -> stock = Long.parseLong(rest.next());
                case "--k6" -> k6 = rest.next();
                case "--keep" -> keep = true;
                default -> throw new IllegalArgumentException("unknown word '" + word + "'");
            }
        }
        users = users < 0 ? usualUsers(crowd, rate) : users;
        refuseTooMany((long) rate * duration + users);
        refuseUnsellable(crowd, stock);
        stock = stock == 0 ? usualStock(crowd, rate, duration, users) : stock;
        return new Plan(crowd, rate, duration, users, stock, k6, keep);
    }

    /** Each arrival is kept until the end, with its token. */
    private static void refuseTooMany(long arrivals) {
        if (arrivals > MAX_ARRIVALS) {
            throw new IllegalArgumentException("--rate and --duration make up to " + arrivals
                    + " arrivals, at most " + MAX_ARRIVALS + " are possible");
        }
    }

    private static void refuseUnsellable(Crowd crowd, long stock) {
        if (crowd == Crowd.SOLD_OUT && stock > MAX_SOLD_OUT_STOCK) {
            throw new IllegalArgumentException("--stock of a crowd that comes too late is at most "
                    + MAX_SOLD_OUT_STOCK + ": all of it is sold before");
        }
    }

    private static int usualUsers(Crowd crowd, int rate) {
        return switch (crowd) {
            case STEADY -> STEADY_USERS;
            case SPIKE -> rate * SPIKE_BURST_S;
            default -> 0;
        };
    }

    /** A third of what a spike wants, a fifth of what a storm does; else enough for everybody. */
    private static long usualStock(Crowd crowd, int rate, int duration, int users) {
        long arrivals = (long) rate * duration;
        return switch (crowd) {
            case SPIKE -> Math.max(1, users / 3);
            case RETRY_STORM -> Math.max(1, arrivals / 5);
            case SOLD_OUT -> SOLD_OUT_STOCK;
            default -> arrivals + arrivals / 10 + 10; // a generator may start one more
        };
    }

    /** Polite buyers beside a storm, the curious after a spike: a tenth of the rate. */
    int tenthPerS() {
        return (ratePerS + 9) / 10;
    }

    int arrivals() {
        int tenth = tenthPerS() * durationS;
        return switch (crowd) {
            case SPIKE -> users + tenth;
            case RETRY_STORM -> ratePerS * durationS + tenth;
            default -> ratePerS * durationS;
        };
    }

    String generator() {
        return k6.isEmpty() ? "built-in" : "k6";
    }
}
