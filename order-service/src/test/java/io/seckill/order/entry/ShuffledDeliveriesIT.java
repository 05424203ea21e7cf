package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic with several copies of each message, in any order. */
class ShuffledDeliveriesIT extends RealService {

    private static final int RESERVATIONS = 600;
    private static final int MOST_COPIES = 5;
    private static final Duration SOON = Duration.ofSeconds(45);

    /** The ledger has no unit to spare: one taken twice would turn somebody away. */
    @ParameterizedTest
    @ValueSource(longs = 23)
    void reservations_sent_one_to_five_times_and_shuffled_become_one_order_each(long seed) {
        String product = sale(RESERVATIONS / 2, RESERVATIONS / 2);
        List<Reservation> all = IntStream.range(0, RESERVATIONS)
                .mapToObj(n -> reservation(product, "user-" + n, n % 2))
                .toList();
        List<Reservation> sent = copies(all, new Random(seed));
        Metrics before = metrics();

        sendAll(sent);

        await().atMost(SOON).until(() -> settled(before) >= sent.size());
        // The broker may deliver one more often than it was sent: then others are still to come.
        await().atMost(SOON).untilAsserted(() -> {
            Metrics after = metrics();
            assertThat(Stream.of("ordered", "rejected", "parked")
                            .map(end -> grown(end, before, after)))
                    .as("ordered, rejected, parked")
                    .containsExactly((long) RESERVATIONS, 0L, 0L);
            assertThat(after.objections()).isEmpty();
        });
        assertThat(count(product, "UNPAID")).isEqualTo(RESERVATIONS);
        assertThat(sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE product_id = ?",
                        String.class,
                        product))
                .containsExactlyInAnyOrderElementsOf(ids(all));
        assertThat(sql.queryForList(
                        "SELECT sold FROM shard_ledger WHERE product_id = ?", Long.class, product))
                .containsExactly(RESERVATIONS / 2L, RESERVATIONS / 2L);
        assertBooksBalance(product);
        assertEachIsTold(all);
    }

    private static List<Reservation> copies(List<Reservation> all, Random random) {
        List<Reservation> copies = new ArrayList<>();
        all.forEach(
                one -> copies.addAll(Collections.nCopies(1 + random.nextInt(MOST_COPIES), one)));
        Collections.shuffle(copies, random);
        return copies;
    }

    /** Deliveries that have ended and do not come again. */
    private long settled(Metrics before) {
        Metrics now = metrics();
        return Stream.of("ordered", "rejected", "repeated", "parked", "dropped")
                .mapToLong(end -> grown(end, before, now))
                .sum();
    }

    private static long grown(String end, Metrics before, Metrics now) {
        String counter = "seckill_" + end + "_total";
        return now.sum(counter) - before.sum(counter);
    }

    /** The same each time, however often. */
    private static void assertEachIsTold(List<Reservation> all) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ids(all))
                        .allSatisfy(id -> assertThat(EVENTS.of(id))
                                .extracting(OrderEvent::status)
                                .containsExactly(OrderEvent.Status.ORDERED)));
    }

    private static List<String> ids(List<Reservation> all) {
        return all.stream().map(Reservation::reservationId).toList();
    }
}
