package io.seckill.flashsale.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.seckill.contracts.Refusal;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaleTest {

    private static final Map<String, String> FIELDS = Map.of(
            "start_at_ms",
            "100",
            "end_at_ms",
            "200",
            "per_user_limit",
            "2",
            "epoch",
            "1",
            "shard_count",
            "3",
            "sold_out",
            "1");

    @Test
    void facts_are_read() {
        assertThat(Sale.of("518", FIELDS)).isEqualTo(new Sale("518", 100, 200, 2, 1, 3, true));
    }

    @Test
    void sale_is_open_from_its_start_up_to_its_end() {
        Sale sale = Sale.of("518", FIELDS);
        assertThat(sale.closed(99)).contains(Refusal.NOT_STARTED);
        assertThat(sale.closed(100)).isEmpty();
        assertThat(sale.closed(199)).isEmpty();
        assertThat(sale.closed(200)).contains(Refusal.ENDED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"start_at_ms", "end_at_ms", "per_user_limit", "epoch", "shard_count"})
    void missing_or_wrong_number_is_named(String field) {
        for (String value : new String[] {null, "", "many", "1.5", "9".repeat(20)}) {
            Map<String, String> fields = new HashMap<>(FIELDS);
            fields.put(field, value);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Sale.of("518", fields))
                    .withMessageContaining(field);
        }
    }
}
