package io.seckill.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * So many calls of this method per second, over all instances; what is not used is stored for a
 * while. A call beyond that waits, or is refused with TOO_MANY_REQUESTS and the time until asking
 * again may help; then the method has not run.
 *
 * <p>For methods of Spring beans that others call: neither private nor final, nor of a final class.
 * A wrong value stops the service at start.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface SeckillRateLimit {

    /** Calls per second, 1 to 1,000,000. */
    int permitsPerSecond();

    /** For how many seconds unused calls are stored, 0 to 60. */
    int maxBurstSeconds() default 1;

    /** How long a call may wait for its turn, in seconds, 0 to 60; it holds its thread. */
    int maxWaitSecond() default 0;

    /**
     * What shares the calls: the same text, the same limit, in whichever service. Between #{ and }
     * an expression of Spring's language, in which #NAME is a parameter: "orders:#{#userId}".
     */
    String key();
}
