package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.RefusalAnswer;
import java.sql.SQLTransientConnectionException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import redis.clients.jedis.exceptions.JedisConnectionException;

@ExtendWith(OutputCaptureExtension.class)
class RefusalAdviceTest {

    private long nowMs = 1_700_000_000_000L;
    private final InstantSource time = () -> Instant.ofEpochMilli(nowMs);
    private final RefusalAdvice advice = new RefusalAdvice(time.withZone(ZoneOffset.UTC));

    @Test
    void refusal_carries_its_own_fields_beside_the_table_s() {
        ResponseEntity<Map<String, Object>> answer = advice.refused(
                new RefusedException(Refusal.ALREADY_BOUGHT, null, Map.of("reservationId", "r1")));

        assertThat(answer.getStatusCode().value()).isEqualTo(409);
        assertThat(answer.getBody())
                .containsEntry("type", "urn:seckill:problem:ALREADY_BOUGHT")
                .containsEntry("status", 409)
                .containsEntry("code", "ALREADY_BOUGHT")
                .containsEntry("retryAfterMs", 0L)
                .containsEntry("reservationId", "r1");
        assertThat(answer.getHeaders().getFirst("Retry-After")).isNull();
        assertThat(answer.getHeaders().getFirst(EdgeHeaders.CODE)).isEqualTo("ALREADY_BOUGHT");
    }

    @Test
    void refusal_carries_its_own_headers_beside_the_table_s() {
        ResponseEntity<Map<String, Object>> answer = advice.refused(new RefusedException(
                Refusal.TOO_MANY_REQUESTS, null, Map.of(), Map.of("RateLimit", "\"a\";r=0")));

        assertThat(answer.getHeaders().getFirst("RateLimit")).isEqualTo("\"a\";r=0");
        assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("1");
    }

    /** The edge takes the internal header away. */
    @Test
    void every_refusal_is_one_as_contracts_has_it() {
        for (Refusal refusal : Refusal.values()) {
            ResponseEntity<Map<String, Object>> answer =
                    advice.refused(new RefusedException(refusal));
            Map<String, String> headers = new HashMap<>(answer.getHeaders().toSingleValueMap());
            assertThat(headers.remove(EdgeHeaders.CODE)).isEqualTo(refusal.name());

            assertThat(RefusalAnswer.read(
                            answer.getStatusCode().value(), headers, Json.write(answer.getBody())))
                    .isEqualTo(refusal);
        }
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
                        .getStatusCode()
                        .value())
                .isEqualTo(404);
        assertThat(advice.unexpected(new HttpRequestMethodNotSupportedException("PUT"))
                        .getStatusCode()
                        .value())
                .isEqualTo(405);
    }

    @Test
    void unexpected_error_is_busy_and_tells_nothing_of_the_inside() {
        ResponseEntity<Map<String, Object>> answer =
                advice.unexpected(new IllegalStateException("password is hunter2"));

        assertThat(answer.getStatusCode().value()).isEqualTo(503);
        assertThat(answer.getBody().toString()).doesNotContain("hunter2");
    }

    @Test
    void store_that_is_away_is_logged_once_in_a_while_without_a_trace(CapturedOutput log) {
        for (int i = 0; i < 100; i++) {
            advice.unexpected(new JedisConnectionException("control Redis is away"));
            advice.unexpected(new IllegalStateException(
                    new SQLTransientConnectionException("database is away")));
        }
        assertThat(log.getOut())
                .containsOnlyOnce("control Redis is away")
                .doesNotContain("database is away")
                .doesNotContain("\tat ");

        nowMs += RefusalAdvice.QUIET_MS;
        advice.unexpected(
                new IllegalStateException(new SQLTransientConnectionException("database is away")));
        assertThat(log.getOut()).containsOnlyOnce("database is away").doesNotContain("\tat ");
    }

    @Test
    void mistake_in_the_program_is_logged_with_its_trace_each_time(CapturedOutput log) {
        advice.unexpected(new IllegalArgumentException("first mistake"));
        advice.unexpected(new IllegalArgumentException("second mistake"));

        assertThat(log.getOut()).contains("first mistake", "second mistake", "\tat ");
    }
}
