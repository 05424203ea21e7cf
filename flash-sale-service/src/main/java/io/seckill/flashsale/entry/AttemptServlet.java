package io.seckill.flashsale.entry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.common.Counters;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Latencies;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Pending;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import io.seckill.flashsale.attempt.AttemptOutcome.Repeated;
import io.seckill.flashsale.attempt.AttemptService;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route of attempts: who asks, for what and how many comes in headers that the edge has set;
 * they are checked again, because a key or a log line is made of them.
 *
 * <p>Each attempt is counted when it comes in and when its one future ends, by the code of the
 * answer, so that no way out is missed.
 *
 * <p>202 ACCEPTED, the same again to the same Idempotency-Key; 202 PENDING; SOLD_OUT,
 * ALREADY_BOUGHT, NOT_STARTED, ENDED, NO_SUCH_SALE, BAD_REQUEST, METHOD_NOT_ALLOWED, BUSY. Never
 * answers SOLD_OUT while a shard of the sale is silent.
 */
final class AttemptServlet extends AsyncRoute<AttemptOutcome> {

    private static final Logger LOG = LoggerFactory.getLogger(AttemptServlet.class);

    private final transient AttemptService attempts;
    private final transient Counters counters;
    private final transient Timer times;

    AttemptServlet(AttemptService attempts, Counters counters, MeterRegistry registry) {
        this.attempts = attempts;
        this.counters = counters;
        times = Latencies.of("seckill_attempt_seconds")
                .description("from an attempt that is well formed to its outcome")
                .register(registry);
    }

    @Override
    CompletableFuture<AttemptOutcome> begin(HttpServletRequest request) {
        counters.count("seckill_attempts_total");
        String userId = request.getHeader(EdgeHeaders.USER);
        String productId = request.getHeader(EdgeHeaders.PRODUCT);
        String quantity = request.getHeader(EdgeHeaders.QUANTITY);
        if (!"POST".equals(request.getMethod())) {
            return refused(AttemptOutcome.refused(Refusal.METHOD_NOT_ALLOWED));
        }
        if (!Ids.isUser(userId)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.USER));
        }
        if (!Ids.isProduct(productId)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.PRODUCT));
        }
        if (quantity == null || !EdgeHeaders.isQuantity(quantity)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.QUANTITY));
        }
        String key = request.getHeader(EdgeHeaders.IDEMPOTENCY_KEY);
        if (key != null && !EdgeHeaders.isIdempotencyKey(key)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.IDEMPOTENCY_KEY));
        }
        String requestId = request.getHeader(EdgeHeaders.REQUEST);
        long startNs = System.nanoTime();
        return attempts.attempt(
                        userId, productId, Integer.parseInt(quantity), key == null ? "" : key)
                .thenApply(outcome -> {
                    times.record(System.nanoTime() - startNs, TimeUnit.NANOSECONDS);
                    return logged(outcome, requestId);
                });
    }

    /** One line for each unit that was taken, or may have been: which request it was. */
    private static AttemptOutcome logged(AttemptOutcome outcome, @Nullable String requestId) {
        if (EdgeHeaders.isRequestId(requestId)) {
            if (outcome instanceof Accepted accepted) {
                LOG.info("request {} took reservation {}", requestId, accepted.reservationId());
            } else if (outcome instanceof Pending open) {
                LOG.info("request {} may have {}", requestId, open.reservationId());
            }
        }
        return outcome;
    }

    private static CompletableFuture<AttemptOutcome> refused(AttemptOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    @Override
    AttemptOutcome unknown() {
        return AttemptOutcome.unknown();
    }

    @Override
    Answer answer(AttemptOutcome outcome) {
        if (outcome instanceof Refused refused) {
            counters.count("seckill_refused_total", refused.refusal().name());
        } else if (outcome instanceof Repeated) { // it took no unit
            counters.count("seckill_refused_total", Refusal.ALREADY_BOUGHT.name());
        } else {
            counters.count(
                    outcome instanceof Pending
                            ? "seckill_pending_total"
                            : "seckill_accepted_total");
        }
        return Answer.of(outcome);
    }
}
