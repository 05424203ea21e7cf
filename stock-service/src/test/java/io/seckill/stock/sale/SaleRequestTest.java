package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

class SaleRequestTest {

    private static final long NOW_MS = 1_767_225_600_000L;
    private static final long DAY_MS = 86_400_000;

    @Test
    void absent_fields_take_the_defaults() {
        assertThat(request().sale(NOW_MS, List.of(0, 1, 2)))
                .isEqualTo(new Sale(
                        "518",
                        "Product 518",
                        0,
                        NOW_MS,
                        NOW_MS + DAY_MS,
                        1,
                        "off",
                        900,
                        7,
                        false,
                        "0:1:OPEN 1:1:OPEN 2:1:OPEN",
                        Sale.State.PREPARING,
                        NOW_MS));
    }

    @Test
    void given_fields_are_taken() {
        Sale sale = new SaleRequest(
                        "518",
                        7L,
                        9900L,
                        "Täglich ☕",
                        2L,
                        "2026-01-01T09:00:00.5+09:00",
                        "2026-01-01T01:00:00Z",
                        "on",
                        60L,
                        true)
                .sale(NOW_MS, List.of(0, 1, 2));
        assertThat(sale)
                .isEqualTo(new Sale(
                        "518",
                        "Täglich ☕",
                        9900,
                        NOW_MS + 500,
                        NOW_MS + 3_600_000,
                        2,
                        "on",
                        60,
                        7,
                        true,
                        "0:1:OPEN 1:1:OPEN 2:1:OPEN",
                        Sale.State.PREPARING,
                        NOW_MS));
    }

    @Test
    void end_before_or_at_start_is_refused() {
        assertRefused(
                times("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z")::refuseEndBeforeStart,
                "endAt must be after startAt");
        SaleRequest past = times(null, "2025-12-31T00:00:00Z");
        assertRefused(() -> past.sale(NOW_MS, List.of(0, 1, 2)), "endAt must be after startAt");
    }

    @Test
    void product_of_the_warm_up_is_refused() {
        SaleRequest request = new SaleRequest(
                Ids.WARM_UP_PRODUCT, 7L, null, null, null, null, null, null, null, null);
        assertRefused(request::refuseWarmUp, "productId is the one that");
    }

    @Test
    void only_given_fields_are_compared() {
        Sale sale = new SaleRequest("518", 7L, 5L, null, null, null, null, "on", null, null)
                .sale(NOW_MS, List.of(0, 1, 2));
        assertThat(request().differences(sale)).isEmpty();
        assertThat(times("2026-01-01T08:00:00+08:00", null).differences(sale)).isEmpty();
    }

    @Test
    void every_field_that_differs_is_named_with_both_values() {
        Sale sale = request().sale(NOW_MS, List.of(0, 1, 2));
        SaleRequest other = new SaleRequest(
                "518",
                8L,
                1L,
                "n",
                2L,
                "2026-01-01T00:00:01Z",
                "2026-01-02T00:00:01Z",
                "on",
                1L,
                true);
        assertThat(other.differences(sale))
                .containsExactly(
                        "stock is 7, asked for 8",
                        "priceCents is 0, asked for 1",
                        "name is Product 518, asked for n",
                        "perUserLimit is 1, asked for 2",
                        "startAt is 2026-01-01T00:00:00Z, asked for 2026-01-01T00:00:01Z",
                        "endAt is 2026-01-02T00:00:00Z, asked for 2026-01-02T00:00:01Z",
                        "path is off, asked for on",
                        "payWithinSeconds is 900, asked for 1",
                        "synthetic is false, asked for true");
    }

    private static SaleRequest request() {
        return times(null, null);
    }

    private static SaleRequest times(String startAt, String endAt) {
        return new SaleRequest("518", 7L, null, null, null, startAt, endAt, null, null, null);
    }

    private static void assertRefused(Runnable check, String why) {
        assertThatThrownBy(check::run)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.BAD_REQUEST))
                .hasMessageContaining(why);
    }
}
