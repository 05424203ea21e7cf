package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Refusal;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.http.HttpMethod;

class RefusalAdviceTest {

    private final RefusalAdvice advice = new RefusalAdvice();

    @Test
    void refusal_carries_its_own_fields_beside_the_table_s() {
        ResponseEntity<Map<String, Object>> answer = advice.refused(new RefusedException(
                Refusal.ALREADY_BOUGHT, null, Map.of("reservationId", "r1")));

        assertThat(answer.getStatusCode().value()).isEqualTo(409);
        assertThat(answer.getBody())
                .containsEntry("code", "ALREADY_BOUGHT")
                .containsEntry("retryAfterMs", 0L)
                .containsEntry("reservationId", "r1");
        assertThat(answer.getHeaders().getFirst("Retry-After")).isNull();
        assertThat(answer.getHeaders().getFirst(EdgeHeaders.CODE)).isEqualTo("ALREADY_BOUGHT");
    }

    @Test
    void retry_is_jittered_between_100_and_150_percent_and_rounded_up_to_seconds() {
        for (int i = 0; i < 1_000; i++) {
            ResponseEntity<Map<String, Object>> answer =
                    advice.refused(new RefusedException(Refusal.BUSY));
            long base = Refusal.BUSY.retryAfterMs();
            assertThat((long) answer.getBody().get("retryAfterMs"))
                    .isBetween(base, base + base / 2);
            assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("1");
        }
    }

    @Test
    void unknown_address_and_method_are_answered_from_the_table() {
        assertThat(advice.unexpected(new NoResourceFoundException(HttpMethod.GET, "/x", "x"))
                .getStatusCode().value()).isEqualTo(404);
        assertThat(advice.unexpected(new HttpRequestMethodNotSupportedException("PUT"))
                .getStatusCode().value()).isEqualTo(405);
    }

    @Test
    void unexpected_error_is_busy_and_tells_nothing_of_the_inside() {
        ResponseEntity<Map<String, Object>> answer =
                advice.unexpected(new IllegalStateException("password is hunter2"));

        assertThat(answer.getStatusCode().value()).isEqualTo(503);
        assertThat(answer.getBody().toString()).doesNotContain("hunter2");
    }
}
