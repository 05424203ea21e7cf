package io.seckill.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Refusal;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    @Test
    void value_goes_on_and_a_refusal_stays_what_it_is() {
        Outcome<Integer> value = Outcome.of(5);
        Outcome<Integer> refused = Outcome.refused(Refusal.BUSY);

        assertThat(value.then(n -> Outcome.of(n + 1))).isEqualTo(Outcome.of(6));
        assertThat(value.then(n -> Outcome.refused(Refusal.ENDED)))
                .isEqualTo(Outcome.refused(Refusal.ENDED));
        assertThat(refused.then(n -> Outcome.of(n + 1))).isEqualTo(refused);
    }

    @Test
    void answer_is_made_of_whichever_it_is() {
        assertThat(Outcome.of(5).<String>either(n -> "value " + n, Refusal::name))
                .isEqualTo("value 5");
        assertThat(Outcome.refused(Refusal.BUSY).<String>either(n -> "value " + n, Refusal::name))
                .isEqualTo("BUSY");
    }
}
