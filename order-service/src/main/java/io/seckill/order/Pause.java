package io.seckill.order;

/** The only place that sleeps; whoever needs a pause is handed it, so that tests pass their own. */
public final class Pause {

    private Pause() {}

    /**
     * Throws when interrupted: the caller's work has not been done and must not be reported as
     * done.
     */
    public static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting " + ms + " ms", e);
        }
    }
}
