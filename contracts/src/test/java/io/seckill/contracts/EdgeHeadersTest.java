package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class EdgeHeadersTest {

    @ParameterizedTest
    @ValueSource(strings = {"1", "10", "" + Bounds.QUANTITY_UNITS})
    void quantity_is_a_plain_whole_number_up_to_its_bound(String value) {
        assertThat(EdgeHeaders.isQuantity(value)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "+1",
                "01",
                "1.0",
                "1e1",
                " 1",
                "1 ",
                "x",
                "\u0661",
                "" + (Bounds.QUANTITY_UNITS + 1),
                "999999999",
                "4294967297",
                "99999999999999999999"
            })
    void anything_else_is_no_quantity(String value) {
        assertThat(EdgeHeaders.isQuantity(value)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"8letters", "Shop_1.2-3", "0123456789abcdef0123456789abcdef"})
    void request_id_is_8_to_64_plain_characters(String value) {
        assertThat(EdgeHeaders.isRequestId(value)).isTrue();
        assertThat(EdgeHeaders.isRequestId("x".repeat(64))).isTrue();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"7letter", "with space", "line\nfeed", "a,list,of", "8letters\n"})
    void anything_else_is_no_request_id(String value) {
        assertThat(EdgeHeaders.isRequestId(value)).isFalse();
        assertThat(EdgeHeaders.isRequestId("x".repeat(65))).isFalse();
    }
}
