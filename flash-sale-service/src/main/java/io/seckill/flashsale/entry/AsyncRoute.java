package io.seckill.flashsale.entry;

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
 * A route on which no thread waits. A request has one future, which ends within some seconds
 * whatever the shards do; should it not, the container ends it after {@link #LIMIT_MS} as unknown.
 * Whoever ends it writes the answer, into memory: the container's threads send it.
 */
abstract class AsyncRoute<O> extends HttpServlet {

    private static final long LIMIT_MS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(AsyncRoute.class);

    /** Begins to find out; must not wait. */
    abstract CompletableFuture<O> begin(HttpServletRequest request);

    /** Where nobody knows. */
    abstract O unknown();

    /** Called once for each request. */
    abstract Answer answer(O outcome);

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // answering is the end of it
    protected final void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        CompletableFuture<O> outcome;
        try {
            outcome = begin(request);
        } catch (RuntimeException e) {
            outcome = CompletableFuture.failedFuture(e);
        }
        if (outcome.isDone()) {
            answer(outcome.handle(this::known).join()).write(response);
            return;
        }
        AsyncContext async = request.startAsync();
        async.setTimeout(LIMIT_MS);
        async.addListener(new EndOf<>(outcome, unknown()));
        outcome.handle(this::known).thenAccept(known -> write(answer(known), async));
    }

    /** What nobody expected is a mistake in the program, logged here. */
    private O known(@Nullable O outcome, @Nullable Throwable failure) {
        if (outcome != null) {
            return outcome;
        }
        LOG.error("request failed, outcome unknown", failure);
        return unknown();
    }

    private static void write(Answer answer, AsyncContext async) {
        try {
            answer.write((HttpServletResponse) async.getResponse());
            async.complete();
        } catch (IOException | IllegalStateException e) {
            LOG.debug("nobody is there for the answer", e);
        }
    }

    /** Ends what the container will not wait for any longer. */
    private record EndOf<O>(CompletableFuture<O> outcome, O unknown) implements AsyncListener {

        @Override
        public void onTimeout(AsyncEvent event) {
            outcome.complete(unknown);
        }

        @Override
        public void onError(AsyncEvent event) {
            outcome.complete(unknown);
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}

        @Override
        public void onComplete(AsyncEvent event) {}
    }
}
