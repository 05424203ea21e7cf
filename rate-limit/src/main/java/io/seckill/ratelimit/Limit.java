package io.seckill.ratelimit;

/** What {@link SeckillRateLimit} allows, checked. */
record Limit(int perSecond, int burstSeconds, int waitSeconds) {

    static final long PERMIT = 1_000_000; // credits; one second gains perSecond of them

    private static final int MOST_PER_SECOND = 1_000_000;
    private static final int MOST_SECONDS = 60;

    /** Throws what names the value and the place. */
    static Limit of(SeckillRateLimit written, Object place) {
        check(written.permitsPerSecond(), 1, MOST_PER_SECOND, "permitsPerSecond", place);
        check(written.maxBurstSeconds(), 0, MOST_SECONDS, "maxBurstSeconds", place);
        check(written.maxWaitSecond(), 0, MOST_SECONDS, "maxWaitSecond", place);
        return new Limit(
                written.permitsPerSecond(), written.maxBurstSeconds(), written.maxWaitSecond());
    }

    private static void check(int value, int min, int max, String name, Object place) {
        if (value < min || value > max) {
            throw new IllegalStateException("%s of @SeckillRateLimit at %s is %d, must be %d to %d"
                    .formatted(name, place, value, min, max));
        }
    }

    /** What one of so many instances may do alone. */
    Limit share(long instances) {
        return new Limit((int) Math.max(1, perSecond / instances), burstSeconds, waitSeconds);
    }

    long waitUs() {
        return waitSeconds * 1_000_000L;
    }
}
