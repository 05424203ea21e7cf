package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.seckill.contracts.Ids;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.TransientDataAccessResourceException;

class OrderSnTest {

    private static final long START_MS = 1_763_719_200_000L;

    private long nowMs = START_MS;
    private int worker = 7;
    private long fromMs = START_MS;
    private final OrderSn numbers =
            new OrderSn(madeMs -> new WorkerLease.Span(worker, fromMs, START_MS + 10_000, nowMs));

    @Test
    void number_is_time_worker_counter_and_gene() {
        assertThat(numbers.next("u123456")).isEqualTo("1763719200000" + "07" + "000" + "123456");
        assertThat(numbers.next("u123456")).isEqualTo("1763719200000" + "07" + "001" + "123456");
        assertThat(numbers.next("ann"))
                .satisfies(sn -> assertThat(Ids.isOrderSn(sn)).isTrue());
    }

    @Test
    void number_beyond_the_span_is_refused() {
        nowMs = START_MS + 10_000;

        assertThatExceptionOfType(TransientDataAccessResourceException.class)
                .isThrownBy(() -> numbers.next("1"));
    }

    @Test
    void new_span_begins_where_it_says_whatever_was_made_before() {
        numbers.next("1");
        nowMs = START_MS - 5_000;
        fromMs = START_MS - 5_000;
        worker = 8;

        assertThat(numbers.next("1")).startsWith("1763719195000" + "08" + "000");
    }

    @ParameterizedTest
    @CsvSource({
        "123456,     123456",
        "9123456,    123456",
        "user000042, 000042",
        "42,         000042",
        "u12345,     crc",
        "a1b,        crc",
        "alice,      crc",
    })
    void gene_is_the_last_six_digits_or_a_checksum(String user, String gene) {
        CRC32 crc = new CRC32();
        crc.update(user.getBytes(StandardCharsets.US_ASCII));
        assertThat(OrderSn.gene(user))
                .isEqualTo(
                        "crc".equals(gene) ? "%06d".formatted(crc.getValue() % 1_000_000) : gene);
    }

    @Test
    void numbers_grow_within_a_millisecond_beyond_it_and_when_the_clock_steps_back() {
        List<String> made = IntStream.range(0, 2_500)
                .mapToObj(n -> {
                    nowMs -= n == 1_200 ? 5_000 : 0;
                    return numbers.next("1");
                })
                .toList();

        assertThat(made).isSorted().doesNotHaveDuplicates();
        assertThat(made.get(2_499)).startsWith("1763719200002" + "07" + "499");
    }

    @Test
    void threads_at_once_get_different_numbers() {
        assertThat(IntStream.range(0, 20_000)
                        .parallel()
                        .mapToObj(n -> numbers.next("1"))
                        .toList())
                .doesNotHaveDuplicates();
    }
}
