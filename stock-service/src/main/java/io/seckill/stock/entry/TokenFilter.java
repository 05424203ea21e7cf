package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Lets operators through and nobody else; everything but health and counters wants a token, so that
 * a new address is closed until somebody opens it. No or a bad token: UNAUTHENTICATED; a buyer's:
 * FORBIDDEN.
 */
@Component
final class TokenFilter extends OncePerRequestFilter {

    private static final Set<String> OPEN = Set.of("/actuator/health", "/actuator/prometheus");
    private static final String SCHEME = "Bearer ";

    private final TokenKeys keys;
    private final HandlerExceptionResolver refusals;

    TokenFilter(
            TokenKeys keys,
            @Qualifier("handlerExceptionResolver") HandlerExceptionResolver refusals) {
        this.keys = keys;
        this.refusals = refusals;
    }

    /** The decoded and normalised path, so that "/actuator/health/../../admin" opens nothing. */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return OPEN.contains(request.getServletPath());
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional<String> role = token(request).flatMap(keys::role);
        if (role.filter("ops"::equals).isPresent()) {
            chain.doFilter(request, response);
            return;
        }
        boolean isBuyer = role.filter("buyer"::equals).isPresent();
        refusals.resolveException(
                request,
                response,
                null,
                new RefusedException(isBuyer ? Refusal.FORBIDDEN : Refusal.UNAUTHENTICATED));
    }

    /** Two headers are a quarrel between proxies about who is asking: nobody is. */
    private static Optional<String> token(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders(HttpHeaders.AUTHORIZATION));
        return headers.size() == 1 && headers.get(0).startsWith(SCHEME)
                ? Optional.of(headers.get(0).substring(SCHEME.length()))
                : Optional.empty();
    }
}
