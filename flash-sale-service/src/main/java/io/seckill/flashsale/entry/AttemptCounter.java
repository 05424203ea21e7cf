package io.seckill.flashsale.entry;

import io.seckill.common.Counters;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Refusal;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Counts each attempt when it comes in and when it is answered, by the code of the answer.
 *
 * <p>It stands around all the rest, so that no way out of the service is missed: an answer without
 * a code is a failure that nobody turned into a refusal, which the edge takes for BUSY.
 */
@Component
final class AttemptCounter extends HttpFilter {

    private final transient Counters counters;

    AttemptCounter(Counters counters) {
        this.counters = counters;
    }

    @Override
    protected void doFilter(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!request.getRequestURI().equals(FlashSaleController.ATTEMPT)) {
            chain.doFilter(request, response);
            return;
        }
        counters.count("seckill_attempts_total");
        try {
            chain.doFilter(request, response);
        } finally {
            countAnswer(response.getHeader(EdgeHeaders.CODE));
        }
    }

    private void countAnswer(@Nullable String code) {
        if ("ACCEPTED".equals(code)) {
            counters.count("seckill_accepted_total");
        } else {
            counters.count("seckill_refused_total", code == null ? Refusal.BUSY.name() : code);
        }
    }
}
