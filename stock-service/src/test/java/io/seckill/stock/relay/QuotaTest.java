package io.seckill.stock.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.stock.sale.Sale;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaTest {

    private static final Sale SALE = new Sale(
            "518", "Product 518", 0, 1, 2, 1, "off", 900, 100, false, "", Sale.State.OPEN, 1);

    /** stock, percent, total and issued as written, units left: the right total. */
    @ParameterizedTest
    @CsvSource({
        "100,110,0,0,100,110",
        "1,110,0,0,1,2",
        "0,110,0,0,0,0",
        "10,115,0,0,10,12",
        "1000000000,10000,0,0,5,100000000000",
        "100,110,110,109,1,110",
        "100,110,110,110,0,110",
        "100,110,110,110,1,112",
        "100,110,110,142,10,153",
        "100,150,110,20,90,150",
        "100,100,110,20,90,110",
    })
    void total_is_a_share_of_the_stock_and_grows_when_it_would_strand_a_unit(
            long stock, long percent, long total, long issued, long units, long right) {
        assertThat(Quota.total(stock, percent, total, issued, units)).isEqualTo(right);
    }

    @Test
    void missing_quota_is_written_whole() {
        assertThat(changes(null, null, null))
                .isEqualTo(Map.of("total", "110", "issued", "0", "epoch", "1"));
    }

    @Test
    void right_quota_is_left_alone() {
        assertThat(changes("110", "57", "1")).isEmpty();
    }

    @Test
    void issued_is_the_edge_s_and_not_touched_while_it_is_a_number() {
        assertThat(changes("100", "57", "1")).isEqualTo(Map.of("total", "110"));
        assertThat(changes("110", null, "1")).isEqualTo(Map.of("issued", "0"));
        assertThat(changes("110", "many", "1")).isEqualTo(Map.of("issued", "0"));
    }

    @Test
    void total_that_is_no_number_is_repaired() {
        for (String bad : List.of("", "-1", "1.5", "1e9", "0110", "9".repeat(16), "x")) {
            assertThat(changes(bad, "3", "1")).as(bad).isEqualTo(Map.of("total", "110"));
        }
    }

    @Test
    void quota_of_another_epoch_starts_anew() {
        assertThat(changes("500", "499", "7"))
                .isEqualTo(Map.of("total", "110", "issued", "0", "epoch", "1"));
    }

    private static Map<String, String> changes(String... written) {
        return Quota.changes(Arrays.asList(written), SALE, 110, 40);
    }
}
