package io.seckill.stock.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.stock.sale.SaleRequest;
import jakarta.validation.Validation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyReaderTest {

    private final BodyReader reader = new BodyReader(Validation.buildDefaultValidatorFactory());

    @Test
    void every_field_is_taken_as_it_stands() {
        assertThat(with("""
                ,"priceCents":9900,"name":"Täglich ☕","perUserLimit":2,"path":"on",
                "startAt":"2026-01-01T09:00:00.5+09:00","endAt":"2026-01-01T01:00:00Z",
                "payWithinSeconds":60,"synthetic":true"""))
                .isEqualTo(new SaleRequest(
                        "518",
                        7L,
                        9900L,
                        "Täglich ☕",
                        2L,
                        "2026-01-01T09:00:00.5+09:00",
                        "2026-01-01T01:00:00Z",
                        "on",
                        60L,
                        true));
    }

    @Test
    void absent_field_is_null() {
        assertThat(with(""))
                .isEqualTo(
                        new SaleRequest("518", 7L, null, null, null, null, null, null, null, null));
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
            set(field, Long.toString(good));
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
                    () -> set(field, bad),
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
        assertRefused(() -> set("productId", productId), "productId must be");
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
        assertRefused(() -> set("name", name), "name must be");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"true\"", "1", "0", "null", "[]", "\"on\""})
    void flag_is_true_or_false_and_nothing_like_it(String flag) {
        set("synthetic", "false");
        assertRefused(() -> set("synthetic", flag), "synthetic must be true or false");
    }

    @Test
    void name_is_bounded_in_bytes() {
        set("name", '"' + "é".repeat(100) + '"');
        assertRefused(() -> set("name", '"' + "é".repeat(101) + '"'), "name must be");
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
        assertRefused(() -> set("startAt", '"' + time + '"'), "startAt" + why);
        assertRefused(() -> set("endAt", '"' + time + '"'), "endAt" + why);
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
        String why =
                " must be an ISO-8601 time with offset, like 2026-11-11T00:00:00Z, from 1970-01-01T00:00:00.001Z to 5138-11-16T09:46:39.999Z";
        assertRefused(() -> set("startAt", '"' + time + '"'), "startAt" + why);
        assertRefused(() -> set("endAt", '"' + time + '"'), "endAt" + why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1767225600000", "null", "[2026,1,1]", "true"})
    void time_that_is_no_text_is_refused(String time) {
        assertRefused(() -> set("startAt", time), "startAt must be an ISO-8601 time with offset");
    }

    @Test
    void first_and_last_time_are_taken() {
        set("startAt", "\"1970-01-01T00:00:00.001Z\"");
        set("endAt", "\"5138-11-16T09:46:39.999Z\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"ON\"", "true", "\"\"", "null"})
    void path_is_on_or_off(String path) {
        assertRefused(() -> set("path", path), "path must be");
    }

    @Test
    void missing_field_is_named() {
        assertRefused(() -> read("{\"stock\":1}"), "productId is missing");
        assertRefused(() -> read("{\"productId\":\"1\"}"), "stock is missing");
    }

    @Test
    void unknown_and_repeated_fields_are_refused() {
        assertRefused(() -> with(",\"priceCent\":5"), "there is no field \"priceCent\"");
        assertRefused(() -> with(",\"" + "x".repeat(5_000) + "\":5"), "\"" + "x".repeat(32) + "\"");
        assertRefused(() -> with(",\"stock\":5"), "the body is not JSON");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "1", "\"x\"", "{", "{}x", "{\"stock\":NaN}"})
    void body_that_is_no_object_is_refused(String body) {
        assertRefused(() -> read(body), "the body ");
    }

    @Test
    void body_that_is_nested_without_end_or_no_utf_8_is_refused() {
        assertRefused(() -> read("[".repeat(16_000)), "the body is not JSON");
        byte[] latin1 = "{\"productId\":\"518\",\"stock\":1,\"name\":\"é\"}"
                .getBytes(StandardCharsets.ISO_8859_1);
        assertRefused(() -> read(latin1), "the body is not JSON");
    }

    @Test
    void every_field_that_does_not_fit_is_named() {
        assertRefused(
                () -> read("{\"productId\":\"0\",\"stock\":0}"),
                "productId must be a string of 1 to 18 digits that does not start with 0; "
                        + "stock must be a whole number from 1 to 1000000000");
    }

    @Test
    void body_is_bounded() {
        String longest = "{\"productId\":\"518\",\"stock\":7}".concat(" ".repeat(16_384 - 29));
        assertThat(longest).hasSize(16_384);
        read(longest);
        assertThatThrownBy(() -> read(longest + " "))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.PAYLOAD_TOO_LARGE));
    }

    private SaleRequest with(String more) {
        return read("{\"productId\":\"518\",\"stock\":7" + more + "}");
    }

    private void set(String field, String value) {
        String rest = switch (field) {
            case "productId" -> "\"stock\":7";
            case "stock" -> "\"productId\":\"518\"";
            default -> "\"productId\":\"518\",\"stock\":7";
        };
        read("{" + rest + ",\"" + field + "\":" + value + "}");
    }

    private SaleRequest read(String json) {
        return read(json.getBytes(StandardCharsets.UTF_8));
    }

    private SaleRequest read(byte[] json) {
        try {
            return reader.read(new ByteArrayInputStream(json), SaleRequest.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertRefused(Runnable reading, String why) {
        assertThatThrownBy(reading::run)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.BAD_REQUEST))
                .hasMessageContaining(why);
    }
}
