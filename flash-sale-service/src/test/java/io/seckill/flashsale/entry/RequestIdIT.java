package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.flashsale.Hop;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class RequestIdIT extends Hop {

    @Test
    void unit_that_is_taken_is_logged_with_its_request_and_no_other_is(CapturedOutput log) {
        sell(3, 3, 3);
        String taken = asked("alice", "order-4711");
        assertThat(taken).isNotEmpty();
        assertThat(asked("alice", "order-4712")).isEqualTo(taken);

        await().untilAsserted(() ->
                assertThat(log).contains("request order-4711 took reservation " + taken));
        awaitLogOf("bob", log);
        assertThat(log).doesNotContain("order-4712");
    }

    @Test
    void request_id_that_is_none_is_not_written_down(CapturedOutput log) {
        sell(3, 3, 3);
        assertThat(asked("alice", "no request id")).isNotEmpty();
        awaitLogOf("bob", log);
        assertThat(log).doesNotContain("no request id");
    }

    /** What was logged before is written before. */
    private void awaitLogOf(String user, CapturedOutput log) {
        asked(user, "order-of-" + user);
        await().untilAsserted(() -> assertThat(log).contains("request order-of-" + user));
    }

    /** The reservation that the attempt is told of. */
    private String asked(String user, String requestId) {
        return send(request("deduct", user)
                        .header(EdgeHeaders.QUANTITY, "1")
                        .header(EdgeHeaders.REQUEST, requestId)
                        .POST(HttpRequest.BodyPublishers.noBody()))
                .text("reservationId");
    }
}
