package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublishedSaleTest {

    private static final PublishedSale SALE = new PublishedSale(
            "518",
            "Phöne",
            9_900,
            1_000,
            2_000,
            2,
            true,
            900,
            100,
            Placement.parse("0:1:OPEN 1:2:RECOVERING"),
            false,
            true);

    @Test
    void sale_survives_its_hash() {
        assertThat(PublishedSale.of(SALE.hash())).isEqualTo(SALE);
        assertThat(SALE.hash())
                .containsOnlyKeys(
                        "product_id",
                        "name",
                        "price_cents",
                        "start_at_ms",
                        "end_at_ms",
                        "per_user_limit",
                        "path",
                        "pay_within_s",
                        "stock_total",
                        "placements",
                        "sold_out",
                        "synthetic");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "product_id",
                "name",
                "price_cents",
                "start_at_ms",
                "end_at_ms",
                "per_user_limit",
                "path",
                "pay_within_s",
                "stock_total",
                "placements",
                "sold_out",
                "synthetic"
            })
    void missing_or_wrong_field_is_named(String field) {
        String tooLong = "9".repeat(201);
        for (String value : new String[] {null, "a\nb", tooLong}) {
            Map<String, String> hash = new HashMap<>(SALE.hash());
            hash.put(field, value);
            assertThatIllegalArgumentException()
                    .as(value)
                    .isThrownBy(() -> PublishedSale.of(hash))
                    .withMessageStartingWith("bad " + field + ": ");
        }
    }

    @Test
    void number_is_plain_digits() {
        for (String value : List.of("", "-1", "+1", "1.0", "01", " 1", "1e3", "0x10")) {
            Map<String, String> hash = new HashMap<>(SALE.hash());
            hash.put("price_cents", value);
            assertThatIllegalArgumentException().as(value).isThrownBy(() -> PublishedSale.of(hash));
        }
    }

    @Test
    void sale_that_ends_before_it_starts_is_refused() {
        Map<String, String> hash = new HashMap<>(SALE.hash());
        hash.put("end_at_ms", "1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PublishedSale.of(hash))
                .withMessageStartingWith("bad end_at_ms");
    }
}
