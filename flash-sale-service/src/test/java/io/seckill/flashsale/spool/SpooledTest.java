package io.seckill.flashsale.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SpooledTest {

    private static final Spooled ONE =
            new Spooled("518", "alice@shop", "0".repeat(32), 2, "0123456789ab", 1_700_000_000_000L);

    @Test
    void text_is_read_as_it_was_written() {
        assertThat(Spooled.of(ONE.key(), ONE.text())).isEqualTo(ONE);
        Spooled noKey = new Spooled("518", "bob", "f".repeat(32), 1, "", 1);
        assertThat(Spooled.of(noKey.key(), noKey.text())).isEqualTo(noKey);
    }

    @Test
    void any_changed_character_is_refused() {
        String text = ONE.text();
        for (int i = 0; i < text.length(); i++) {
            String damaged =
                    text.substring(0, i) + (char) (text.charAt(i) ^ 1) + text.substring(i + 1);
            assertThatIllegalArgumentException()
                    .as(damaged)
                    .isThrownBy(() -> Spooled.of(ONE.key(), damaged));
        }
    }

    @Test
    void cut_text_empty_text_and_the_record_of_another_are_refused() {
        String text = ONE.text();
        for (int i = 0; i < text.length(); i++) {
            String cut = text.substring(0, i);
            assertThatIllegalArgumentException().isThrownBy(() -> Spooled.of(ONE.key(), cut));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Spooled.of("518|bob", text));
    }
}
