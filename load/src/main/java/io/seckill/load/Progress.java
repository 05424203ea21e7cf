package io.seckill.load;

/**
 * What a verb says while it goes on, with the seconds since its start, on standard error. On a
 * terminal the live line is written over; elsewhere each is a line.
 */
public final class Progress {

    private static final boolean IS_TERMINAL = "1".equals(System.getenv("SECKILL_TERMINAL"));
    private static final long START_NS = System.nanoTime();
    private static final String ERASE_LINE = "\r\u001b[K";

    private static boolean isLive;

    private Progress() {}

    public static synchronized void say(String words) {
        endLive();
        System.err.println(stamped(words));
    }

    /** Without the seconds: what the reader must see, as the command line says it. */
    public static synchronized void warn(String words) {
        endLive();
        System.err.println("seckill: " + words);
    }

    public static synchronized void live(String words) {
        if (!IS_TERMINAL) {
            System.err.println(stamped(words));
            return;
        }
        isLive = true;
        System.err.print(ERASE_LINE + stamped(words));
    }

    /** What follows stands on a line of its own. */
    public static synchronized void endLive() {
        if (isLive) {
            System.err.println();
            isLive = false;
        }
    }

    private static String stamped(String words) {
        return "[%3d s] %s".formatted((System.nanoTime() - START_NS) / 1_000_000_000, words);
    }
}
