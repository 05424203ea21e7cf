package io.seckill.flashsale.entry;

import io.seckill.common.RefusalAnswer;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * An attempt's answer in the shapes of contracts, put together as text: a sale is thousands of
 * these a second, and they have one of two shapes.
 *
 * @param retryAfterMs 0: none is told
 */
record AttemptAnswer(
        int status, String code, String body, long retryAfterMs, boolean isNothingLeft) {

    static AttemptAnswer of(AttemptOutcome outcome) {
        return outcome instanceof Accepted accepted
                ? accepted(accepted.reservationId())
                : refused((Refused) outcome);
    }

    private static AttemptAnswer accepted(String reservationId) {
        String body = "{\"code\":\"ACCEPTED\",\"reservationId\":\"" + reservationId + "\"}";
        return new AttemptAnswer(HttpStatus.ACCEPTED.value(), "ACCEPTED", body, 0, false);
    }

    private static AttemptAnswer refused(Refused refused) {
        Refusal refusal = refused.refusal();
        long retryAfterMs = RefusalAnswer.retryAfterMs(refusal);
        StringBuilder body = new StringBuilder(160)
                .append("{\"code\":\"")
                .append(refusal.name())
                .append("\",\"message\":")
                .append(Json.write(refused.message()))
                .append(",\"retryAfterMs\":")
                .append(retryAfterMs);
        refused.more()
                .forEach((field, value) ->
                        body.append(",\"").append(field).append("\":").append(Json.write(value)));
        return new AttemptAnswer(
                refusal.status(),
                refusal.name(),
                body.append('}').toString(),
                retryAfterMs,
                refused.nothingLeft());
    }

    void write(HttpServletResponse response) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setHeader(EdgeHeaders.CODE, code);
        if (isNothingLeft) {
            response.setHeader(EdgeHeaders.SOLD_OUT, "1");
        }
        if (retryAfterMs > 0) {
            response.setHeader(HttpHeaders.RETRY_AFTER, RefusalAnswer.seconds(retryAfterMs));
        }
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
