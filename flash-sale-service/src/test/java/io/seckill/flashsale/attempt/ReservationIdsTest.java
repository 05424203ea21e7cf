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
        assertThat(IntStream.range(0, 10_000)
                        .mapToObj(i -> ids.next(""))
                        .collect(Collectors.toSet()))
                .hasSize(10_000)
                .allMatch(Ids::isReservation)
                .allMatch(id -> id.startsWith("000000abcdef"));
    }

    @Test
    void later_id_sorts_after_an_earlier_one() {
        ReservationIds later = new ReservationIds(Clock.offset(clock, Duration.ofMillis(1)));
        assertThat(later.next("")).isGreaterThan(ids.next(""));
    }

    @Test
    void id_that_is_asked_for_under_a_key_ends_in_it_and_never_repeats() {
        String ending = ReservationIds.ending("alice", "518", 1, "k1");
        assertThat(IntStream.range(0, 10_000)
                        .mapToObj(i -> ids.next(ending))
                        .collect(Collectors.toSet()))
                .hasSize(10_000)
                .allMatch(Ids::isReservation)
                .allMatch(id -> id.endsWith(ending));
    }

    @Test
    void ending_is_another_one_for_any_other_wish() {
        assertThat(ReservationIds.ending("alice", "518", 1, "")).isEmpty();
        assertThat(ReservationIds.ending("alice", "518", 1, "k1"))
                .isEqualTo(ReservationIds.ending("alice", "518", 1, "k1"))
                .hasSize(12)
                .isNotEqualTo(ReservationIds.ending("bob", "518", 1, "k1"))
                .isNotEqualTo(ReservationIds.ending("alice", "519", 1, "k1"))
                .isNotEqualTo(ReservationIds.ending("alice", "518", 2, "k1"))
                .isNotEqualTo(ReservationIds.ending("alice", "518", 1, "k2"));
    }
}
