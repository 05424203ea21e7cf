package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Ids;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReservationIdsTest {

    private final Clock clock = Clock.fixed(Instant.ofEpochMilli(0xABCDEF), ZoneOffset.UTC);
    private final ReservationIds ids = new ReservationIds(clock);

    @Test
    void id_begins_with_the_time_and_never_repeats() {
        assertThat(IntStream.range(0, 10_000).mapToObj(i -> ids.next()).collect(Collectors.toSet()))
                .hasSize(10_000)
                .allMatch(Ids::isReservation)
                .allMatch(id -> id.startsWith("000000abcdef"));
    }

    @Test
    void later_id_sorts_after_an_earlier_one() {
        ReservationIds later = new ReservationIds(Clock.offset(clock, Duration.ofMillis(1)));
        assertThat(later.next()).isGreaterThan(ids.next());
    }
}
