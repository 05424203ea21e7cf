package io.seckill.common;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/** The one shape of a "no": {@code {code, message, retryAfterMs}} with the table's status. */
public final class RefusalAnswer {

    private RefusalAnswer() {}

    /** In the table's words. */
    public static ResponseEntity<Map<String, Object>> of(Refusal refusal) {
        return of(refusal, refusal.message(), Map.of());
    }

    /** {@code more} are fields the answer carries beside the three. */
    public static ResponseEntity<Map<String, Object>> of(
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
