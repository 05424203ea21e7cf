package io.seckill.flashsale.entry;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.query.ResultQuery;

import jakarta.servlet.http.HttpServletRequest;

import java.util.concurrent.CompletableFuture;

/**
 * The route that winners poll: 200 with the status; NO_SUCH_SALE, BAD_REQUEST, METHOD_NOT_ALLOWED,
 * BUSY. Who asks and for what comes in headers that the edge has set and that are checked again.
 */
final class ResultServlet extends AsyncRoute<Answer> {

    private final transient ResultQuery results;

    ResultServlet(ResultQuery results) {
        this.results = results;
    }

    @Override
    CompletableFuture<Answer> begin(HttpServletRequest request) {
        String userId = request.getHeader(EdgeHeaders.USER);
        String productId = request.getHeader(EdgeHeaders.PRODUCT);
        if (!"GET".equals(request.getMethod())) {
            return refused(AttemptOutcome.refused(Refusal.METHOD_NOT_ALLOWED));
        }
        if (!Ids.isUser(userId)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.USER));
        }
        if (!Ids.isProduct(productId)) {
            return refused(AttemptOutcome.malformed(EdgeHeaders.PRODUCT));
        }
        return results.result(userId, productId)
                .thenApply(outcome -> outcome.either(
                        Answer::ok, refusal -> Answer.refused(AttemptOutcome.refused(refusal))));
    }

    private static CompletableFuture<Answer> refused(AttemptOutcome.Refused refusal) {
        return CompletableFuture.completedFuture(Answer.refused(refusal));
    }

    @Override
    Answer unknown() {
        return Answer.refused(AttemptOutcome.refused(Refusal.BUSY));
    }

    @Override
    Answer answer(Answer outcome) {
        return outcome;
    }
}
