package io.seckill.flashsale.entry;

import io.seckill.common.Counters;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import io.seckill.flashsale.attempt.AttemptService;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route of attempts, on which no thread waits: who asks, for what and how many comes in headers
 * that the edge has set; they are checked again, because a key or a log line is made of them.
 *
 * <p>Each attempt is counted when it comes in and when its one future ends, by the code of the
 * answer, so that no way out is missed. That future ends within some seconds whatever the shards
 * do; should it not, the container ends it after {@link #LIMIT_MS} with BUSY. Whoever ends it
 * writes the answer, into memory: the container's threads send it.
 *
 * <p>202 ACCEPTED; SOLD_OUT, ALREADY_BOUGHT, NOT_STARTED, ENDED, NO_SUCH_SALE, BAD_REQUEST,
 * METHOD_NOT_ALLOWED, BUSY. Never answers SOLD_OUT while a shard of the sale is silent.
 */
final class AttemptServlet extends HttpServlet {

    private static final long LIMIT_MS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(AttemptServlet.class);
    private static final Refused BUSY = AttemptOutcome.refused(Refusal.BUSY);

    private final transient AttemptService attempts;
    private final transient Counters counters;

    AttemptServlet(AttemptService attempts, Counters counters) {
        this.attempts = attempts;
        this.counters = counters;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // answering is the end of it
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        counters.count("seckill_attempts_total");
        CompletableFuture<AttemptOutcome> outcome = outcome(request);
        if (outcome.isDone()) {
            answer(outcome.handle(AttemptServlet::known).join(), response);
            return;
        }
        AsyncContext async = request.startAsync();
        async.setTimeout(LIMIT_MS);
        async.addListener(new EndOf(outcome));
        outcome.handle(AttemptServlet::known).thenAccept(known -> answer(known, async));
    }

    private CompletableFuture<AttemptOutcome> outcome(HttpServletRequest request) {
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
        try {
            return attempts.attempt(userId, productId, Integer.parseInt(quantity));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<AttemptOutcome> refused(AttemptOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    /** What nobody expected is a mistake in the program, logged here; its outcome is unknown. */
    private static AttemptOutcome known(
            @Nullable AttemptOutcome outcome, @Nullable Throwable failure) {
        if (outcome != null) {
            return outcome;
        }
        LOG.error("attempt failed, outcome unknown", failure);
        return BUSY;
    }

    private void answer(AttemptOutcome outcome, AsyncContext async) {
        try {
            answer(outcome, (HttpServletResponse) async.getResponse());
            async.complete();
        } catch (IOException | IllegalStateException e) {
            LOG.debug("nobody is there for the answer", e);
        }
    }

    private void answer(AttemptOutcome outcome, HttpServletResponse response) throws IOException {
        if (outcome instanceof Refused refused) {
            counters.count("seckill_refused_total", refused.refusal().name());
        } else {
            counters.count("seckill_accepted_total");
        }
        AttemptAnswer.of(outcome).write(response);
    }

    /** Ends what the container will not wait for any longer. */
    private record EndOf(CompletableFuture<AttemptOutcome> outcome) implements AsyncListener {

        @Override
        public void onTimeout(AsyncEvent event) {
            outcome.complete(BUSY);
        }

        @Override
        public void onError(AsyncEvent event) {
            outcome.complete(BUSY);
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}

        @Override
        public void onComplete(AsyncEvent event) {}
    }
}
