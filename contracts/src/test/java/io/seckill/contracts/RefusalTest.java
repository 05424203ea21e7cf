package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RefusalTest {

    @Test
    void table_and_enum_hold_the_same_words() {
        assertThat(Arrays.stream(Refusal.values()).map(Enum::name))
                .containsExactlyInAnyOrderElementsOf(Refusal.table().keySet());
    }

    @Test
    void every_word_has_an_error_status_and_a_message() {
        for (Refusal refusal : Refusal.values()) {
            assertThat(refusal.status()).as(refusal.name()).isBetween(400, 599);
            assertThat(refusal.message()).as(refusal.name()).isNotBlank();
            assertThat(refusal.retryAfterMs()).as(refusal.name()).isBetween(0L, 60_000L);
        }
    }

    @Test
    void only_passing_states_invite_a_retry() {
        assertThat(Arrays.stream(Refusal.values()).filter(r -> r.retryAfterMs() > 0))
                .containsExactlyInAnyOrder(
                        Refusal.NOT_STARTED,
                        Refusal.TOO_MANY_REQUESTS,
                        Refusal.PAUSED,
                        Refusal.BUSY);
    }
}
