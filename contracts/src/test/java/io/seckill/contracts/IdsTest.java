package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "0",
                "1",
                "9",
                "01",
                "518",
                "999999999999999999",
                "1000000000000000000",
                "1 ",
                "-1",
                "1x",
                "x1",
                "1\n",
                "\u0661"
            })
    void product_is_what_the_constant_for_constraints_says(String value) {
        assertThat(Ids.isProduct(value)).isEqualTo(value != null && value.matches(Ids.PRODUCT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "Z", "0", "9", "_", ".", "@", "-", "alice@example.org"})
    void user_is_1_to_64_plain_characters(String value) {
        assertThat(Ids.isUser(value)).isTrue();
        assertThat(Ids.isUser(value.repeat(64).substring(0, 64))).isTrue();
        assertThat(Ids.isUser("a".repeat(65))).isFalse();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {"a b", "a\n", "a:b", "a/b", "{a}", "\u00e4", "\u0661", "\u0000", "\u007f"})
    void anything_else_is_no_user(String value) {
        assertThat(Ids.isUser(value)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 23, 24, 25, 31, 32, 33})
    void reservation_is_32_hex_digits_and_an_order_number_24_digits(int length) {
        assertThat(Ids.isReservation("af".repeat(length).substring(0, length)))
                .isEqualTo(length == 32);
        assertThat(Ids.isOrderSn("09".repeat(length).substring(0, length))).isEqualTo(length == 24);
        assertThat(Ids.isReservation("a".repeat(31) + "A")).isFalse();
        assertThat(Ids.isReservation("g" + "a".repeat(31))).isFalse();
        assertThat(Ids.isOrderSn("1".repeat(23) + "a")).isFalse();
    }

    @Test
    void user_has_no_other_character() {
        for (char c = 0; c < 0x2_00; c++) {
            String one = Character.toString(c);
            assertThat(Ids.isUser(one)).as("%x", (int) c).isEqualTo(one.matches("[A-Za-z0-9_.@-]"));
        }
    }
}
