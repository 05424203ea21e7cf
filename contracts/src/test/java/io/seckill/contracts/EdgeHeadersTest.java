package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
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
}
