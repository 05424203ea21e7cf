package io.seckill.common;

import io.seckill.contracts.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.http.converter.HttpMessageNotReadableException;

/**
 * Answers every exception of a request from the refusal table, as {@code {code, message,
 * retryAfterMs}}. What nobody expected is logged once, here, and answered BUSY: its outcome is unknown.
 */
@RestControllerAdvice
final class RefusalAdvice {

    private static final Logger LOG = LoggerFactory.getLogger(RefusalAdvice.class);

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> refused(RefusedException e) {
        return answer(e.refusal(), e.message(), e.more());
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> unreadable(HttpMessageNotReadableException e) {
        return answer(Refusal.BAD_REQUEST, "The body is not the JSON this address takes", Map.of());
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> unexpected(Exception e) {
        if (e instanceof ErrorResponse known) {
            Refusal refusal = of(known.getStatusCode());
            return answer(refusal, refusal.message(), Map.of());
        }
        LOG.error("request failed, outcome unknown", e);
        return answer(Refusal.BUSY, Refusal.BUSY.message(), Map.of());
    }

    private static Refusal of(HttpStatusCode status) {
        return switch (status.value()) {
            case 404 -> Refusal.NOT_FOUND;
            case 405 -> Refusal.METHOD_NOT_ALLOWED;
            case 413 -> Refusal.PAYLOAD_TOO_LARGE;
            default -> status.is4xxClientError() ? Refusal.BAD_REQUEST : Refusal.BUSY;
        };
    }

    private static ResponseEntity<Map<String, Object>> answer(
            Refusal refusal, String message, Map<String, Object> more) {
        long retryAfterMs = jittered(refusal.retryAfterMs());
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("code", refusal.name());
        body.put("message", message);
        body.put("retryAfterMs", retryAfterMs);
        body.putAll(more);
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.status(refusal.status()).header(EdgeHeaders.CODE, refusal.name());
        if (retryAfterMs > 0) {
            long seconds = Math.max(1, (retryAfterMs + 999) / 1000);
            answer.header(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
        }
        return answer.body(body);
    }

    /** 100 % to 150 %, so that a refused crowd does not come back as one. */
    private static long jittered(long ms) {
        return ms == 0 ? 0 : ms + ThreadLocalRandom.current().nextLong(ms / 2 + 1);
    }
}
