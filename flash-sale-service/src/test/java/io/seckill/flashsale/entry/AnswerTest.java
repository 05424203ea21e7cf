package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Json;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.RefusalAnswer;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AnswerTest {

    private static final String ID = "0".repeat(32);

    @Test
    void accepted_attempt_is_told_its_reservation() {
        Answer answer = Answer.of(new Accepted(ID));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(body(answer)).isEqualTo(Map.of("code", "ACCEPTED", "reservationId", ID));
    }

    @Test
    void attempt_that_nobody_knows_of_is_pending_and_its_code_is_for_the_buyer_alone() {
        Answer answer = Answer.of(new AttemptOutcome.Pending(ID));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.code()).isEmpty();
        assertThat(body(answer)).isEqualTo(Map.of("code", "PENDING", "reservationId", ID));
    }

    @ParameterizedTest
    @EnumSource
    void refusal_is_told_as_contracts_have_it(Refusal refusal) {
        Answer answer = Answer.of(AttemptOutcome.refused(refusal));
        assertThat(answer.code()).isEqualTo(refusal.name());
        if (refusal != Refusal.NOT_STARTED) { // the edge's alone knows how long
            assertThat(RefusalAnswer.read(answer.status(), headers(answer), answer.body()))
                    .isEqualTo(refusal);
        }
    }

    @Test
    void outcome_that_nobody_knows_is_busy_to_the_buyer_and_has_no_code() {
        Answer unknown = Answer.of(AttemptOutcome.unknown());
        assertThat(unknown.code()).isEmpty();
        assertThat(RefusalAnswer.read(unknown.status(), headers(unknown), unknown.body()))
                .isEqualTo(Refusal.BUSY);
    }

    @Test
    void fields_and_text_of_any_kind_stay_json() {
        Answer bought = Answer.of(AttemptOutcome.alreadyBought(ID));
        assertThat(body(bought)).containsEntry("reservationId", ID);
        Answer odd = Answer.of(AttemptOutcome.malformed("\"\\ \n"));
        assertThat(body(odd)).containsEntry("message", "\"\\ \n is malformed");
    }

    private static Map<String, String> headers(Answer answer) {
        return answer.retryAfterMs() == 0
                ? Map.of("Content-Type", "application/problem+json")
                : Map.of(
                        "Content-Type",
                        "application/problem+json",
                        "Retry-After",
                        io.seckill.common.RefusalAnswer.seconds(answer.retryAfterMs()));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> body(Answer answer) {
        return Json.read(answer.body(), Map.class);
    }
}
