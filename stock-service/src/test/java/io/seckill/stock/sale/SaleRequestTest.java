package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SaleRequestTest {

    private static final long NOW_MS = 1_767_225_600_000L;
    private static final long DAY_MS = 86_400_000;

    @Test
    void absent_fields_take_the_defaults() {
        assertThat(request("").sale(NOW_MS, 3))
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
                        3,
                        1,
                        Sale.State.PREPARING,
                        NOW_MS));
    }

    @Test
    void given_fields_are_taken() {
        Sale sale = request("""
                ,"priceCents":9900,"name":"Täglich ☕","perUserLimit":2,"path":"on",
                "startAt":"2026-01-01T09:00:00.5+09:00","endAt":"2026-01-01T01:00:00Z",
                "payWithinSeconds":60""").sale(NOW_MS, 3);
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
                        3,
                        1,
                        Sale.State.PREPARING,
                        NOW_MS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "stock;1;1000000000",
                "priceCents;0;1000000000000",
                "perUserLimit;1;1000",
                "payWithinSeconds;1;604800",
            })
    void whole_numbers_are_bounded_and_never_converted(String field, long min, long max) {
        for (long good : new long[] {min, max}) {
            read(field, Long.toString(good));
        }
        for (String bad : new String[] {
            Long.toString(min - 1),
            Long.toString(max + 1),
            "-1",
            "\"1\"",
            "1.0",
            "1e2",
            "null",
            "[]",
            "{}",
            "true",
            "9223372036854775808",
            "1e400"
        }) {
            assertRefused(
                    () -> read(field, bad),
                    field + " must be a whole number from " + min + " to " + max);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "518",
                "\"\"",
                "\"0\"",
                "\"0518\"",
                "\"-1\"",
                "\"../1\"",
                "\"{1}\"",
                "\"1\\r\\n\"",
                "\"1234567890123456789\"",
                "null",
                "[\"518\"]"
            })
    void product_id_of_another_shape_is_refused(String productId) {
        assertRefused(() -> read("productId", productId), "productId must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "\" \"",
                "\"a\\nb\"",
                "\"a\\u0000\"",
                "\"\\u009b\"",
                "\"\\ud800\"",
                "1",
                "null"
            })
    void name_that_is_empty_or_not_plain_text_is_refused(String name) {
        assertRefused(() -> read("name", name), "name must be");
    }

    @Test
    void name_is_bounded_in_bytes() {
        read("name", '"' + "é".repeat(100) + '"');
        assertRefused(() -> read("name", '"' + "é".repeat(101) + '"'), "name must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-01",
                "2026-01-01T00:00:00",
                "2026-13-01T00:00:00Z",
                "now",
                "1767225600000",
                ""
            })
    void time_without_offset_is_refused(String time) {
        String why = " must be an ISO-8601 time with offset";
        assertRefused(() -> read("startAt", '"' + time + '"'), "startAt" + why);
        assertRefused(() -> read("endAt", '"' + time + '"'), "endAt" + why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1960-01-01T00:00:00Z",
                "1970-01-01T00:00:00Z",
                "5138-11-16T09:46:40Z",
                "9999-12-31T00:00:00Z",
                "+300000-01-01T00:00:00Z",
                "+999999999-12-31T00:00:00Z",
                "-999999999-01-01T00:00:00Z"
            })
    void time_out_of_range_is_refused_with_the_range(String time) {
        String why = " must be from 1970-01-01T00:00:00.001Z to 5138-11-16T09:46:39.999Z";
        assertRefused(() -> read("startAt", '"' + time + '"'), "startAt" + why);
        assertRefused(() -> read("endAt", '"' + time + '"'), "endAt" + why);
    }

    @Test
    void first_and_last_time_are_taken() {
        read("startAt", "\"1970-01-01T00:00:00.001Z\"");
        read("endAt", "\"5138-11-16T09:46:39.999Z\"");
    }

    @Test
    void end_before_or_at_start_is_refused() {
        assertRefused(
                () -> request(
                        ",\"startAt\":\"2026-01-01T00:00:00Z\",\"endAt\":\"2026-01-01T00:00:00Z\""),
                "endAt must be after startAt");
        SaleRequest past = request(",\"endAt\":\"2025-12-31T00:00:00Z\"");
        assertRefused(() -> past.sale(NOW_MS, 3), "endAt must be after startAt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"ON\"", "true", "\"\"", "null"})
    void path_is_on_or_off(String path) {
        assertRefused(() -> read("path", path), "path must be");
    }

    @Test
    void missing_field_is_named() {
        assertRefused(() -> bytes("{\"stock\":1}"), "productId is missing");
        assertRefused(() -> bytes("{\"productId\":\"1\"}"), "stock is missing");
    }

    @Test
    void unknown_and_repeated_fields_are_refused() {
        assertRefused(() -> request(",\"priceCent\":5"), "there is no field \"priceCent\"");
        assertRefused(
                () -> request(",\"" + "x".repeat(5_000) + "\":5"), "\"" + "x".repeat(32) + "\"");
        assertRefused(() -> request(",\"stock\":5"), "the body is not JSON");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "1", "\"x\"", "{", "{}x", "{\"stock\":NaN}"})
    void body_that_is_no_object_is_refused(String body) {
        assertRefused(() -> bytes(body), "");
    }

    @Test
    void body_that_is_nested_without_end_or_no_utf_8_is_refused() {
        assertRefused(() -> bytes("[".repeat(16_000)), "the body is not JSON");
        byte[] latin1 = "{\"productId\":\"518\",\"stock\":1,\"name\":\"é\"}"
                .getBytes(StandardCharsets.ISO_8859_1);
        assertRefused(() -> SaleRequest.of(latin1), "the body is not JSON");
    }

    @Test
    void only_given_fields_are_compared() {
        Sale sale = request(",\"priceCents\":5,\"path\":\"on\"").sale(NOW_MS, 3);
        assertThat(request("").differences(sale)).isEmpty();
        assertThat(request(",\"priceCents\":5,\"startAt\":\"2026-01-01T08:00:00+08:00\"")
                        .differences(sale))
                .isEmpty();
    }

    @Test
    void every_field_that_differs_is_named_with_both_values() {
        Sale sale = request("").sale(NOW_MS, 3);
        SaleRequest other = SaleRequest.of("""
                {"productId":"518","stock":8,"priceCents":1,"name":"n","perUserLimit":2,"path":"on",
                "startAt":"2026-01-01T00:00:01Z","endAt":"2026-01-02T00:00:01Z",
                "payWithinSeconds":1}""".getBytes(StandardCharsets.UTF_8));
        assertThat(other.differences(sale))
                .containsExactly(
                        "stock is 7, asked for 8",
                        "priceCents is 0, asked for 1",
                        "name is Product 518, asked for n",
                        "perUserLimit is 1, asked for 2",
                        "startAt is 2026-01-01T00:00:00Z, asked for 2026-01-01T00:00:01Z",
                        "endAt is 2026-01-02T00:00:00Z, asked for 2026-01-02T00:00:01Z",
                        "path is off, asked for on",
                        "payWithinSeconds is 900, asked for 1");
    }

    private static SaleRequest request(String more) {
        return bytes("{\"productId\":\"518\",\"stock\":7" + more + "}");
    }

    private static void read(String field, String value) {
        String rest = switch (field) {
            case "productId" -> "\"stock\":7";
            case "stock" -> "\"productId\":\"518\"";
            default -> "\"productId\":\"518\",\"stock\":7";
        };
        bytes("{" + rest + ",\"" + field + "\":" + value + "}");
    }

    private static SaleRequest bytes(String json) {
        return SaleRequest.of(json.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(Runnable reading, String why) {
        assertThatThrownBy(reading::run)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.BAD_REQUEST))
                .hasMessageContaining(why);
    }
}
