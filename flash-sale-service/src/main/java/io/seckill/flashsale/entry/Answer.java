package io.seckill.flashsale.entry;

import static java.util.Objects.requireNonNull;

import io.seckill.common.RefusalAnswer;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Pending;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import io.seckill.flashsale.attempt.AttemptOutcome.Repeated;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * An answer in the shapes of contracts, put together as text: a sale is thousands of these a
 * second, and most have one of two shapes.
 *
 * @param code for the edge; empty: none is told, for there is none, or nobody knows what became of
 *     the attempt
 * @param retryAfterMs 0: none is told
 */
record Answer(int status, String code, String body, long retryAfterMs, boolean isNothingLeft) {

    private static final Map<Refusal, String> HEADS = Arrays.stream(Refusal.values())
            .collect(Collectors.toUnmodifiableMap(
                    Function.identity(), refusal -> headOf(refusal, refusal.message())));

    static Answer of(AttemptOutcome outcome) {
        if (outcome instanceof Accepted accepted) {
            return reserved("ACCEPTED", "ACCEPTED", accepted.reservationId());
        }
        if (outcome instanceof Pending pending) {
            return reserved("", "PENDING", pending.reservationId());
        }
        // As the first one to the buyer; to the edge an attempt that took no unit.
        return outcome instanceof Repeated repeated
                ? reserved(Refusal.ALREADY_BOUGHT.name(), "ACCEPTED", repeated.reservationId())
                : refused((Refused) outcome);
    }

    /** 200 with a body that is no refusal's; it has no code. */
    static Answer ok(Map<String, Object> body) {
        return new Answer(HttpStatus.OK.value(), "", Json.write(body), 0, false);
    }

    private static Answer reserved(String toldCode, String code, String reservationId) {
        String body = "{\"code\":\"" + code + "\",\"reservationId\":\"" + reservationId + "\"}";
        return new Answer(HttpStatus.ACCEPTED.value(), toldCode, body, 0, false);
    }

    static Answer refused(Refused refused) {
        Refusal refusal = refused.refusal();
        long retryAfterMs = RefusalAnswer.retryAfterMs(refusal);
        StringBuilder body = new StringBuilder(320)
                .append(head(refusal, refused.message()))
                .append(retryAfterMs);
        refused.more()
                .forEach((field, value) ->
                        body.append(",\"").append(field).append("\":").append(Json.write(value)));
        return new Answer(
                refusal.status(),
                refused.isUnknown() ? "" : refusal.name(),
                body.append('}').toString(),
                retryAfterMs,
                refused.nothingLeft());
    }

    /** The body up to its wait; in the table's words it is made once. */
    private static String head(Refusal refusal, String message) {
        return message.equals(refusal.message())
                ? requireNonNull(HEADS.get(refusal))
                : headOf(refusal, message);
    }

    private static String headOf(Refusal refusal, String message) {
        String fields = Json.write(refusal.problem(message));
        return fields.substring(0, fields.length() - 1) + ",\"retryAfterMs\":";
    }

    void write(HttpServletResponse response) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        if (!code.isEmpty()) {
            response.setHeader(EdgeHeaders.CODE, code);
        }
        if (isNothingLeft) {
            response.setHeader(EdgeHeaders.SOLD_OUT, "1");
        }
        if (retryAfterMs > 0) {
            response.setHeader(HttpHeaders.RETRY_AFTER, RefusalAnswer.seconds(retryAfterMs));
        }
        response.setContentType(
                status < HttpStatus.BAD_REQUEST.value()
                        ? MediaType.APPLICATION_JSON_VALUE
                        : MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
