package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {

    private static final String RATE = Limits.ORDER_RATE_PER_SECOND;

    @Test
    void every_default_is_a_value_the_table_itself_allows() {
        Limits.table()
                .forEach((key, row) -> assertThat(Limits.isValid(key, Long.toString(row.initial())))
                        .as(key)
                        .isTrue());
    }

    @Test
    void plain_number_within_bounds_is_taken() {
        assertThat(Limits.effective(RATE, "7", 500)).isEqualTo(7);
        assertThat(Limits.isValid(RATE, "1")).isTrue();
        assertThat(Limits.isValid(RATE, "1000000")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " 7",
                "7 ",
                "07",
                "-1",
                "0",
                "+7",
                "1e3",
                "0x10",
                "nan",
                "inf",
                "1.5",
                "1000001",
                "99999999999999999999",
                "٧"
            })
    void anything_else_keeps_the_last_good_value(String written) {
        assertThat(Limits.effective(RATE, written, 77)).isEqualTo(77);
    }

    @Test
    void limit_that_was_taken_away_is_the_default_again() {
        assertThat(Limits.effective(RATE, null, 77)).isEqualTo(Limits.initial(RATE));
    }

    @Test
    void unknown_key_is_named() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limits.initial("order.rate"))
                .withMessageContaining("order.rate");
    }
}
