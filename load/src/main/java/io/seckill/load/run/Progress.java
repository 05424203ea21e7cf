package io.seckill.load.run;

/**
 * What a run says while it goes on, with the seconds since its start. On a terminal the live line
 * is written over; elsewhere each is a line.
 */
final class Progress {

    private static final boolean IS_TERMINAL = "1".equals(System.getenv("SECKILL_TERMINAL"));
    private static final long START_NS = System.nanoTime();
    private static final String ERASE_LINE = "\r\u001b[K";

    private static boolean isLive;

    private Progress() {}

    static synchronized void say(String words) {
        endLive();
        System.out.println(stamped(words));
    }

    static synchronized void live(String words) {
        if (!IS_TERMINAL) {
            System.out.println(stamped(words));
            return;
        }
        isLive = true;
        System.out.print(ERASE_LINE + stamped(words));
        System.out.flush();
    }

    /** What follows stands on a line of its own. */
    static synchronized void endLive() {
        if (isLive) {
            System.out.println();
            isLive = false;
        }
    }

    private static String stamped(String words) {
        return "[%3d s] %s".formatted((System.nanoTime() - START_NS) / 1_000_000_000, words);
    }
}
