package io.seckill.flashsale.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.seckill.contracts.Placement;
import io.seckill.contracts.PublishedSale;
import io.seckill.contracts.Refusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SaleTest {

    private static final List<Placement> PLACEMENTS = Placement.parse("0:1:OPEN 1:2:RETIRED");
    private static final Map<String, String> HASH = new PublishedSale(
                    "518", "Phone", 9_900, 100, 200, 2, false, 900, 7, PLACEMENTS, true, false)
            .hash();

    @Test
    void facts_are_read() {
        assertThat(Sale.of("518", HASH))
                .isEqualTo(new Sale("518", 100, 200, 2, PLACEMENTS, true, false));
    }

    @Test
    void sale_is_open_from_its_start_up_to_its_end() {
        Sale sale = Sale.of("518", HASH);
        assertThat(sale.closed(99)).contains(Refusal.NOT_STARTED);
        assertThat(sale.closed(100)).isEmpty();
        assertThat(sale.closed(199)).isEmpty();
        assertThat(sale.closed(200)).contains(Refusal.ENDED);
    }

    @Test
    void hash_of_another_product_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sale.of("519", HASH))
                .withMessageContaining("product_id");
    }

    @Test
    void wrong_field_is_named() {
        Map<String, String> hash = new HashMap<>(HASH);
        hash.remove("placements");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sale.of("518", hash))
                .withMessageContaining("placements");
    }
}
