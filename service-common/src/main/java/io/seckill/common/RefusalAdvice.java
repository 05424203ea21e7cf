package io.seckill.common;

import io.seckill.contracts.Refusal;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Answers every exception of a request as a {@link RefusalAnswer}. What nobody expected is logged
 * once, here, and answered BUSY: its outcome is unknown.
 *
 * <p>A store that is away fails every request, so it gets one line in {@link #QUIET_MS} and no
 * stack trace; what no store caused is a mistake in the program and gets its trace each time.
 */
@RestControllerAdvice
final class RefusalAdvice {

    static final long QUIET_MS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(RefusalAdvice.class);

    private final Clock clock;
    private final AtomicLong quietUntilMs = new AtomicLong();

    RefusalAdvice(Clock clock) {
        this.clock = clock;
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> refused(RefusedException e) {
        ResponseEntity<Map<String, Object>> answer =
                RefusalAnswer.of(e.refusal(), e.message(), e.more());
        HttpHeaders headers = HttpHeaders.copyOf(answer.getHeaders());
        e.headers().forEach(headers::set);
        return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> unreadable(HttpMessageNotReadableException e) {
        return RefusalAnswer.of(
                Refusal.BAD_REQUEST, "The body is not the JSON this address takes", Map.of());
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> unexpected(Exception e) {
        if (e instanceof ErrorResponse known) {
            return RefusalAnswer.of(of(known.getStatusCode()));
        }
        log(e);
        return RefusalAnswer.of(Refusal.BUSY);
    }

    private void log(Exception e) {
        Optional<Throwable> fault = storeFault(e);
        if (fault.isEmpty()) {
            LOG.error("request failed, outcome unknown", e);
        } else if (mayLog(clock.millis())) {
            LOG.warn("requests fail and are answered BUSY: {}", fault.get().toString());
        }
    }

    private static Optional<Throwable> storeFault(Exception e) {
        return Stream.<Throwable>iterate(e, cause -> cause != null, Throwable::getCause)
                .filter(cause -> cause instanceof IOException
                        || cause instanceof SQLException
                        || cause instanceof JedisException)
                .findFirst();
    }

    /** True for one caller in {@link #QUIET_MS}. */
    private boolean mayLog(long nowMs) {
        long untilMs = quietUntilMs.get();
        return nowMs >= untilMs && quietUntilMs.compareAndSet(untilMs, nowMs + QUIET_MS);
    }

    private static Refusal of(HttpStatusCode status) {
        return switch (status.value()) {
            case 404 -> Refusal.NOT_FOUND;
            case 405 -> Refusal.METHOD_NOT_ALLOWED;
            case 413 -> Refusal.PAYLOAD_TOO_LARGE;
            default -> status.is4xxClientError() ? Refusal.BAD_REQUEST : Refusal.BUSY;
        };
    }
}
