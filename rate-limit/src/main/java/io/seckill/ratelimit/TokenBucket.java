package io.seckill.ratelimit;

/** The bucket of take.lua in this process, for while the control Redis is away. */
final class TokenBucket {

    private long credit;
    private long freeUs;

    /** Empty: what was stored is in the control Redis. */
    TokenBucket(long nowUs) {
        freeUs = nowUs;
    }

    synchronized Grant take(Limit limit, long nowUs) {
        long full = Limit.PERMIT * limit.perSecond() * limit.burstSeconds();
        if (nowUs > freeUs) {
            long gainedUs = Math.min(nowUs - freeUs, 1_000_000L * (limit.burstSeconds() + 1));
            credit += gainedUs * limit.perSecond();
            freeUs = nowUs;
        }
        credit = Math.min(credit, full);
        long waitUs = freeUs - nowUs;
        if (waitUs > limit.waitUs()) {
            return new Grant(false, toMs(waitUs - limit.waitUs()));
        }
        if (credit < Limit.PERMIT) {
            long gainUs = -Math.floorDiv(credit - Limit.PERMIT, limit.perSecond()); // rounded up
            credit += gainUs * limit.perSecond();
            freeUs += gainUs;
        }
        credit -= Limit.PERMIT;
        return new Grant(true, toMs(waitUs));
    }

    private static long toMs(long us) {
        return (us + 999) / 1_000;
    }
}
