package io.seckill.stock.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaTest {

    private static final String EPOCH = "1764041999123";
    private static final String IDENTITY = "5f2c";

    /** units when it began, percent, total and issued as written, units left: the right total. */
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
        "0,110,0,0,5,6",
    })
    void total_is_a_share_of_the_units_and_grows_when_it_would_strand_one(
            String units, long percent, String total, String issued, long left, long right) {
        assertThat(quota(total, issued, EPOCH, units, Long.toString(percent))
                        .rightTotal(percent, left))
                .isEqualTo(right);
    }

    /** percent as written and as it is now, total and issued as written, units left of 100. */
    @ParameterizedTest
    @CsvSource({
        "200,110,200,20,90,110",
        "200,110,200,110,60,176",
        "200,110,200,150,40,194",
        "200,110,200,150,0,150",
        "110,200,176,120,30,200",
        ",110,160,20,90,110",
    })
    void another_percentage_makes_the_total_anew_and_takes_back_nothing_that_is_issued(
            @Nullable String was,
            long percent,
            String total,
            String issued,
            long left,
            long right) {
        Quota quota = quota(total, issued, EPOCH, "100", was);
        assertThat(quota.isOf(percent)).isFalse();
        assertThat(quota.rightTotal(percent, left)).isEqualTo(right);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "-1", "1.5", "1e9", "0110", "9999999999999999", "x"})
    void number_that_is_none_ends_its_epoch_but_for_a_total_which_is_repaired(
            @Nullable String bad) {
        assertThat(quota("110", bad, EPOCH, "100", "110").isOpenFor(IDENTITY)).isFalse();
        assertThat(quota("110", "3", bad, "100", "110").isOpenFor(IDENTITY)).isFalse();
        assertThat(quota("110", "3", EPOCH, bad, "110").isOpenFor(IDENTITY)).isFalse();

        Quota repaired = quota(bad, "3", EPOCH, "100", "110");
        assertThat(repaired.isOpenFor(IDENTITY)).isTrue();
        assertThat(repaired.rightTotal(110, 40)).isEqualTo(110);
    }

    /** Its total would have more digits than the edges take. */
    @Test
    void numbers_that_no_sale_can_have_end_their_epoch() {
        assertThat(quota("110", "10000000000000", EPOCH, "100", "110").isOpenFor(IDENTITY))
                .isFalse();
        assertThat(quota("110", "3", EPOCH, "10000000000", "110").isOpenFor(IDENTITY))
                .isFalse();
        assertThat(quota("110", "9999999999999", EPOCH, "9999999999", "10000")
                        .rightTotal(10_000, 9_999_999_999L))
                .isLessThan(1_000_000_000_000_000L);
    }

    @Test
    void epoch_is_open_for_the_redis_that_knows_what_was_issued() {
        assertThat(quota("110", "57", EPOCH, "100", "110").isOpenFor(IDENTITY)).isTrue();
        assertThat(new Quota("110", "57", EPOCH, "100", "another", "110").isOpenFor(IDENTITY))
                .isFalse();
        assertThat(new Quota("110", "57", "1", "100", null, null).isOpenFor(IDENTITY))
                .isFalse();
    }

    private static Quota quota(
            @Nullable String total,
            @Nullable String issued,
            @Nullable String epoch,
            @Nullable String units,
            @Nullable String percent) {
        return new Quota(total, issued, epoch, units, IDENTITY, percent);
    }
}
