package io.seckill.common;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Refusal;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/**
 * The one shape of a "no": a problem detail (RFC 9457) with {@code code}, {@code message} and
 * {@code retryAfterMs}, and the table's status.
 */
public final class RefusalAnswer {

    private RefusalAnswer() {}

    /** In the table's words. */
    public static ResponseEntity<Map<String, Object>> of(Refusal refusal) {
        return of(refusal, refusal.message(), Map.of());
    }

    /** {@code more} are fields the answer carries beside these; retryAfterMs for its own. */
    public static ResponseEntity<Map<String, Object>> of(
            Refusal refusal, String message, Map<String, Object> more) {
        long retryAfterMs =
                more.get("retryAfterMs") instanceof Long own ? own : retryAfterMs(refusal);
        Map<String, Object> body = refusal.problem(message);
        body.put("retryAfterMs", retryAfterMs);
        body.putAll(more);
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(refusal.status())
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .header(EdgeHeaders.CODE, refusal.name());
        if (retryAfterMs > 0) {
            answer.header(HttpHeaders.RETRY_AFTER, seconds(retryAfterMs));
        }
        return answer.body(body);
    }

    /** 100 % to 150 % of the table's, so that a refused crowd does not come back as one; or 0. */
    public static long retryAfterMs(Refusal refusal) {
        long ms = refusal.retryAfterMs();
        return ms == 0 ? 0 : ms + ThreadLocalRandom.current().nextLong(ms / 2 + 1);
    }

    /** As the header Retry-After says it, of a wait above 0. */
    public static String seconds(long retryAfterMs) {
        return Long.toString((retryAfterMs + 999) / 1000);
    }
}
