package io.seckill.ratelimit;

import static java.util.Objects.requireNonNull;

import io.seckill.common.Counters;
import io.seckill.common.RefusalAnswer;
import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Around each method with {@link SeckillRateLimit}: it runs with a permit, or not at all. */
final class RateLimitAspect implements MethodInterceptor {

    private static final int MOST_CHARACTERS = 200; // of a key, which a client may have a part in

    private final Supplier<RateLimiter> limiter;
    private final Supplier<Counters> counters;
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
    private final Map<Method, Guarded> guarded = new ConcurrentHashMap<>();

    /** Asked for with the first call: an aspect is made before what it needs. */
    RateLimitAspect(Supplier<RateLimiter> limiter, Supplier<Counters> counters) {
        this.limiter = limiter;
        this.counters = counters;
    }

    private record Guarded(Limit limit, Expression key, String written) {

        /** The key's words before its first expression; a client is not told more of it. */
        String policy() {
            String words = written.split("#", 2)[0].replaceAll("[^A-Za-z0-9]+", "-");
            return words.isEmpty() ? "calls" : words.replaceAll("-$", "");
        }
    }

    /** Before the first call. Throws what is wrong with the annotation. */
    void guard(Method method, SeckillRateLimit written) {
        Expression key = parser.parseExpression(written.key(), ParserContext.TEMPLATE_EXPRESSION);
        guarded.put(method, new Guarded(Limit.of(written, method), key, written.key()));
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Guarded method = requireNonNull(guarded.get(call.getMethod()), "guarded at start");
        String key = key(method.key(), call);
        counters.get().count("seckill_rate_limit_calls_total", method.written());
        Grant grant = limiter.get().take(key, method.limit());
        if (!grant.isGranted()) {
            counters.get().count("seckill_rate_limited_total", method.written());
            throw new RefusedException(
                    Refusal.TOO_MANY_REQUESTS,
                    null,
                    Map.of("retryAfterMs", grant.waitMs()),
                    fields(method, grant));
        }
        counters.get().count("seckill_rate_limit_passed_total", method.written());
        if (grant.waitMs() > 0) {
            Thread.sleep(grant.waitMs());
        }
        return call.proceed();
    }

    /** As the edge tells of its own limiters; contracts has what they mean. */
    private static Map<String, String> fields(Guarded method, Grant refused) {
        String policy = '"' + method.policy() + '"';
        return Map.of(
                "RateLimit",
                policy + ";r=0;t=" + RefusalAnswer.seconds(Math.max(1, refused.waitMs())),
                "RateLimit-Policy",
                policy + ";q=" + method.limit().perSecond() + ";w=1");
    }

    private String key(Expression expression, MethodInvocation call) {
        if (expression instanceof LiteralExpression) {
            return expression.getExpressionString();
        }
        String key = String.valueOf(expression.getValue(new MethodBasedEvaluationContext(
                requireNonNull(call.getThis()), call.getMethod(), call.getArguments(), names)));
        if (key.length() > MOST_CHARACTERS) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST,
                    "What this call is counted by is longer than " + MOST_CHARACTERS);
        }
        return key;
    }
}
