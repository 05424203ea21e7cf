package io.seckill.flashsale.attempt;

import static io.seckill.contracts.EdgeHeaders.CODE;
import static io.seckill.contracts.EdgeHeaders.SOLD_OUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Placement;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.Reservation;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.quantity.Books;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.QuantityStock;
import io.seckill.shard.Ring;
import java.net.http.HttpRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.StreamEntryID;

class AttemptServiceIT extends Hop {

    @Autowired
    private AttemptService attempts;

    @Autowired
    private ShardOutcomes outcomes;

    @Test
    void unit_is_taken_from_the_user_s_home_shard() {
        sell(1, 1, 1);
        String user = userAt(1, 1);
        Answer answer = deduct(user);

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.body()).containsOnlyKeys("code", "reservationId");
        assertThat(answer.text("code")).isEqualTo("ACCEPTED");
        assertThat(answer.header(CODE)).isEqualTo("ACCEPTED");
        assertThat(answer.text("reservationId")).matches(Ids::isReservation);
        assertThat(books(shards.get(1)).buyers()).containsEntry(user, answer.text("reservationId"));
        assertThat(result(user).body()).isEqualTo(Map.of("status", "PENDING"));
    }

    @Test
    void crowd_of_a_thousand_gets_exactly_the_hundred_units_and_all_are_relayed() throws Exception {
        sell(34, 33, 33);
        Map<String, Answer> answers = new ConcurrentHashMap<>();
        ExecutorService crowd = Executors.newFixedThreadPool(40);
        for (int i = 0; i < 1_000; i++) {
            String user = "crowd-" + i;
            crowd.execute(() -> answers.put(user, deduct(user)));
        }
        crowd.shutdown();
        assertThat(crowd.awaitTermination(60, TimeUnit.SECONDS)).isTrue();

        Set<String> accepted = new HashSet<>();
        answers.values().stream()
                .filter(answer -> answer.body().containsKey("reservationId"))
                .forEach(answer -> accepted.add(answer.text("reservationId")));
        assertThat(answers).hasSize(1_000);
        assertThat(accepted).hasSize(100);
        assertThat(answers.values().stream().filter(a -> !a.body().containsKey("reservationId")))
                .allMatch(answer -> "SOLD_OUT".equals(answer.text("code")))
                .anyMatch(answer -> "1".equals(answer.header(SOLD_OUT)));
        assertThat(available()).isZero();
        assertRelayed(accepted);
    }

    /** What consumers get is what was taken, signed: every reservation, and nothing else. */
    private void assertRelayed(Set<String> accepted) {
        for (QuantityStock shard : shards.all()) {
            await().until(() -> books(shard).outboxLength() == 0);
        }
        Map<String, Reservation> relayed = new ConcurrentHashMap<>();
        MessageConsumer consumer = messaging.consumer(
                "test-" + product,
                Reservation.TOPIC,
                Reservation.class,
                new Recorder(product, relayed),
                2);
        consumer.start();
        try {
            // Twice the time after which the client looks again by itself.
            await().atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThat(relayed.keySet()).containsAll(accepted));
        } finally {
            consumer.stop();
        }
        assertThat(relayed.keySet()).isEqualTo(accepted);
        for (QuantityStock shard : shards.all()) {
            Books books = books(shard);
            books.buyers()
                    .forEach((user, id) -> assertThat(relayed.get(id))
                            .isEqualTo(SIGNER.sign(new Reservation(
                                    id,
                                    product,
                                    user,
                                    1,
                                    shard.index(),
                                    1,
                                    books.reservations().get(id).seq(),
                                    books.reservations().get(id).reservedAtMs()))));
        }
    }

    @Test
    void empty_home_sends_the_user_to_a_foreign_shard_and_the_mark_is_found_there() {
        sell(0, 1, 0);
        String user = userAt(0, 1);
        String reservationId = deduct(user).text("reservationId");
        assertThat(surely(() -> shards.get(1).holder(product, user))).contains(reservationId);

        // Units came back to the home shard: the user must not get a second one there.
        try (var home = SHARDS.get(0).connect()) {
            home.hincrBy(RedisKeys.stock(product), "available", 1);
            home.hincrBy(RedisKeys.stock(product), "init", 1);
        }
        Answer again = deduct(user);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.text("code")).isEqualTo("ALREADY_BOUGHT");
        assertThat(again.text("reservationId")).isEqualTo(reservationId);
        assertThat(available()).isEqualTo(1);
        assertThat(result(user).body()).isEqualTo(Map.of("status", "PENDING"));
    }

    /** Another instance, or this one after a restart: it knows what the shards tell, no more. */
    @Test
    void guest_is_found_by_an_instance_that_did_not_send_it() {
        sell(0, 2, 0);
        String user = userAt(0, 1);
        String reservationId = deduct(user).text("reservationId");
        try (var home = SHARDS.get(0).connect()) {
            home.hincrBy(RedisKeys.stock(product), "available", 1);
            home.hincrBy(RedisKeys.stock(product), "init", 1);
        }
        AttemptService other = instance(new Guests(sales, shards), noEmpties());
        assertThat(other.attempt(userAt(1, 2), product, 1, "").join()).isInstanceOf(Accepted.class);
        assertThat(other.attempt(user, product, 1, "").join())
                .isEqualTo(AttemptOutcome.alreadyBought(reservationId));

        AttemptService third = instance(new Guests(sales, shards), noEmpties());
        assertThat(third.attempt(user, product, 1, "").join())
                .isEqualTo(AttemptOutcome.alreadyBought(reservationId));
        assertThat(available()).isEqualTo(1);
    }

    /**
     * Another instance has just heard that the shard is empty and has no guests; both were true.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void guest_of_another_instance_is_not_told_sold_out(boolean isHomeKnownToBeEmpty) {
        sell(0, 1, 0);
        String user = userAt(0, 1);
        String reservationId = deduct(user).text("reservationId");
        Guests guests = new Guests(sales, shards);
        Empties empties = noEmpties();
        long minuteNs = Duration.ofMinutes(1).toNanos();
        for (int shard = isHomeKnownToBeEmpty ? 0 : 1; shard < 3; shard++) {
            empties.heard(product, shard, true, guests.now() + minuteNs);
            guests.heard(product, shard, false, guests.now() + minuteNs);
        }
        List<Placement> ring = Ring.of(user, Placement.parse("0:1:OPEN 1:1:OPEN 2:1:OPEN"));
        Guests resultGuests = new Guests(sales, shards);
        resultGuests.heard(product, 1, false, resultGuests.now() + minuteNs);
        resultGuests.heard(product, 2, false, resultGuests.now() + minuteNs);

        assertThat(instance(guests, empties).attempt(user, product, 1, "").join())
                .isEqualTo(AttemptOutcome.alreadyBought(reservationId));
        assertThat(new MarkFinder(shards, resultGuests)
                        .find(ring, product, user)
                        .join()
                        .marks())
                .extracting(MarkFinder.Mark::reservationId)
                .containsExactly(reservationId);
    }

    private Empties noEmpties() {
        return new Empties(sales, shards);
    }

    /** A sale that is told to be empty for longer than this test lasts, though units came back. */
    @Test
    void shards_that_were_empty_a_moment_ago_are_asked_for_marks_and_what_came_back_is_sold() {
        sell(2, 1, 1);
        String holder = userAt(0, 1);
        String reservationId = deduct(holder).text("reservationId");
        Guests guests = new Guests(sales, shards);
        Empties empties = noEmpties();
        AttemptService told = instance(guests, empties);
        Runnable allEmpty = () -> IntStream.range(0, 3)
                .forEach(shard -> empties.heard(
                        product,
                        shard,
                        true,
                        guests.now() + Duration.ofMinutes(1).toNanos()));

        allEmpty.run();
        assertThat(told.attempt(holder, product, 1, "").join())
                .isEqualTo(AttemptOutcome.alreadyBought(reservationId));
        assertThat(told.attempt(userAt(0, 2), product, 2, "").join())
                .as("more than any shard has")
                .isEqualTo(AttemptOutcome.tooFewLeft());
        assertThat(available()).isEqualTo(3);

        allEmpty.run();
        assertThat(told.attempt(userAt(0, 2), product, 1, "").join()).isInstanceOf(Accepted.class);
        assertThat(books(shards.get(0)).buyers()).containsKey(userAt(0, 2));

        allEmpty.run();
        assertThat(told.attempt(userAt(0, 3), product, 1, "").join())
                .as("home has none, the next has")
                .isInstanceOf(Accepted.class);
        assertThat(books(shards.get(1)).buyers()).containsKey(userAt(0, 3));

        allEmpty.run();
        empties.heard(product, 1, false, guests.now());
        assertThat(told.attempt(userAt(2, 3), product, 1, "").join())
                .as("home is asked whatever it was")
                .isInstanceOf(Accepted.class);
        assertThat(books(shards.get(2)).buyers()).containsKey(userAt(2, 3));

        allEmpty.run();
        assertThat(told.attempt(userAt(2, 4), product, 1, "").join())
                .isEqualTo(AttemptOutcome.nothingLeft());
    }

    /** It passes over the only shard to which a unit came back. */
    @Test
    void walk_that_passed_over_a_unit_that_came_back_asks_again() {
        sell(0, 0, 1);
        Guests guests = new Guests(sales, shards);
        Empties empties = noEmpties();
        empties.heard(product, 2, true, guests.now() + Duration.ofMinutes(1).toNanos());
        assertThat(instance(guests, empties)
                        .attempt(userAt(0, 1), product, 1, "")
                        .join())
                .isInstanceOf(Accepted.class);
    }

    private AttemptService instance(Guests guests, Empties empties) {
        return new AttemptService(
                sales,
                shards,
                new MarkFinder(shards, guests),
                guests,
                empties,
                new UnderWay(shards),
                outcomes,
                new ReservationIds(Clock.systemUTC()),
                (shard, taken, isLast) -> {},
                (shard, wish) -> CompletableFuture.completedFuture(true),
                AllDownListener.NOBODY,
                Clock.systemUTC());
    }

    @Test
    void attempts_of_a_sale_without_guests_leave_the_other_shards_alone() {
        sell(0, 100, 0);
        deduct(userAt(1, 0));
        long before = lookUps(0) + lookUps(2);
        for (int i = 1; i <= 40; i++) {
            assertThat(deduct(userAt(1, i)).status()).isEqualTo(202);
        }
        // Two for each of the two shards, once in a while; one for each and attempt was the old
        // way.
        assertThat(lookUps(0) + lookUps(2) - before).isLessThan(40);
    }

    private static long lookUps(int shard) {
        try (var jedis = SHARDS.get(shard).connect()) {
            Matcher calls = Pattern.compile("cmdstat_hget:calls=(\\d+)")
                    .matcher(jedis.info("commandstats"));
            return calls.find() ? Long.parseLong(calls.group(1)) : 0;
        }
    }

    @Test
    void one_user_in_parallel_gets_one_reservation() throws Exception {
        sell(50, 50, 50);
        Set<String> ids = ConcurrentHashMap.newKeySet();
        ExecutorService tries = Executors.newFixedThreadPool(20);
        for (int i = 0; i < 200; i++) {
            tries.execute(() -> ids.add(deduct("greedy").text("reservationId")));
        }
        tries.shutdown();
        assertThat(tries.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ids).hasSize(1);
        assertThat(available()).isEqualTo(149);
    }

    @Test
    void too_little_left_is_sold_out_without_telling_the_edge_that_nothing_is_left() {
        sell(1, 1, 1);
        Answer two = deduct("alice", "2");
        assertThat(two.text("code")).isEqualTo("SOLD_OUT");
        assertThat(two.text("message")).contains("smaller quantity");
        assertThat(two.header(CODE)).isEqualTo("SOLD_OUT");
        assertThat(two.header(SOLD_OUT)).isNull();
        assertThat(deduct("alice", "1").status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "01", "2147483648", "x", "[]", "3"})
    void quantity_that_is_no_number_or_above_the_limit_changes_nothing(String quantity) {
        sell(5, 5, 5);
        Answer answer = deduct("alice", quantity);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("code")).isEqualTo("BAD_REQUEST");
        assertThat(available()).isEqualTo(15);
    }

    @Test
    void window_is_checked_by_the_server_s_clock() {
        long nowMs = System.currentTimeMillis();
        sell(Map.of("start_at_ms", Long.toString(nowMs + 60_000)), 1, 1, 1);
        assertThat(deduct("alice").status()).isEqualTo(409);
        assertThat(deduct("alice").text("code")).isEqualTo("NOT_STARTED");
        assertThat(path("alice").text("code")).isEqualTo("NOT_STARTED");

        sell(Map.of("start_at_ms", "1", "end_at_ms", Long.toString(nowMs - 1)), 1, 1, 1);
        assertThat(deduct("alice").status()).isEqualTo(410);
        assertThat(path("alice").text("code")).isEqualTo("ENDED");
        assertThat(available()).isEqualTo(3);
    }

    @Test
    void refusal_is_an_outcome_never_an_exception() {
        assertRefused(AttemptOutcome.refused(Refusal.NO_SUCH_SALE), "alice", 1);
        sell(Map.of("start_at_ms", "1", "end_at_ms", "2"), 1, 1, 1);
        assertRefused(AttemptOutcome.refused(Refusal.ENDED), "alice", 1);
        sell(1, 1, 1);
        assertRefused(AttemptOutcome.overLimit(2), "alice", 3);
        assertRefused(AttemptOutcome.tooFewLeft(), "alice", 2);
        String id = ((Accepted) attempt("alice", 1)).reservationId();
        assertRefused(AttemptOutcome.alreadyBought(id), "alice", 1);
        attempt("bob", 1);
        attempt("carol", 1);
        for (int i = 0; i < 20; i++) { // asked, and remembered as empty
            assertRefused(AttemptOutcome.nothingLeft(), "dave", 1);
        }
    }

    private void assertRefused(AttemptOutcome expected, String user, int quantity) {
        assertThat(attempt(user, quantity)).isEqualTo(expected);
    }

    private AttemptOutcome attempt(String user, int quantity) {
        return attempts.attempt(user, product, quantity, "").join();
    }

    @Test
    void unknown_sale_is_told_on_every_route() {
        assertThat(deduct("alice").text("code")).isEqualTo("NO_SUCH_SALE");
        assertThat(path("alice").text("code")).isEqualTo("NO_SUCH_SALE");
        assertThat(result("alice").text("code")).isEqualTo("NO_SUCH_SALE");
    }

    @Test
    void stock_of_another_epoch_sells_and_stamps_its_own() {
        sell(Map.of("placements", "0:2:OPEN 1:2:OPEN 2:2:OPEN"), 1, 1, 1);
        String user = userAt(1, 1);
        String id = deduct(user).text("reservationId");
        Kept kept = books(shards.get(1)).reservations().get(id);
        assertThat(kept.epoch()).isEqualTo(1);
        assertThat(kept.seq()).isEqualTo(1);
    }

    @Test
    void recovering_shard_is_not_asked_and_keeps_the_sale_from_being_sold_out() {
        sell(Map.of("placements", "0:1:RECOVERING 1:1:OPEN 2:1:OPEN"), 5, 1, 0);
        assertThat(deduct(userAt(0, 1)).status()).isEqualTo(202);
        Answer next = deductOnce(userAt(0, 2), "1");
        assertThat(next.text("code")).isEqualTo("BUSY");
        assertThat(next.header(SOLD_OUT)).isNull();
        assertThat(available()).isEqualTo(5);
    }

    @Test
    void retired_shard_is_passed_over_as_empty() {
        sell(Map.of("placements", "0:2:RETIRED 1:1:OPEN 2:1:OPEN"), 5, 1, 0);
        assertThat(deduct(userAt(0, 1)).status()).isEqualTo(202);
        Answer next = deductOnce(userAt(0, 2), "1");
        assertThat(next.text("code")).isEqualTo("SOLD_OUT");
        assertThat(next.header(SOLD_OUT)).isEqualTo("1");
        assertThat(available()).isEqualTo(5);
    }

    @Test
    void shard_without_its_stock_is_busy_never_sold_out() {
        sell(1, 0, 0);
        try (var shard = SHARDS.get(0).connect()) {
            shard.del(RedisKeys.stock(product));
        }
        Answer answer = deductOnce("alice", "1");
        assertThat(answer.text("code")).isEqualTo("BUSY");
        assertThat(answer.header(SOLD_OUT)).isNull();
    }

    @Test
    void malformed_or_missing_headers_are_bad_requests() {
        assertThat(deduct("a|b").status()).isEqualTo(400);
        HttpRequest.Builder bare =
                HttpRequest.newBuilder(uri("/seckill/flash/sale/result")).GET();
        assertThat(send(bare).text("code")).isEqualTo("BAD_REQUEST");
    }

    @Test
    void path_is_signed_for_a_minute() {
        sell(1, 1, 1);
        Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        Answer answer = path("alice");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).containsOnlyKeys("path", "expiresAt");
        assertThat(answer.text("path")).matches("[0-9]{13}-[0-9a-f]{64}");
        Instant expiresAt = Instant.parse(answer.text("expiresAt"));
        assertThat(answer.text("path")).startsWith(expiresAt.toEpochMilli() + "-");
        assertThat(expiresAt).isBetween(before.plusSeconds(60), Instant.now().plusSeconds(60));
    }

    @Test
    void damaged_outbox_entry_is_parked_and_stops_nobody() {
        sell(1, 1, 1);
        try (var shard = SHARDS.get(0).connect()) {
            shard.xadd(
                    RedisKeys.outbox(product),
                    StreamEntryID.NEW_ENTRY,
                    Map.of("user_id", "nobody"));
            assertThat(deduct(userAt(0, 1)).status()).isEqualTo(202);
            await().until(() -> shard.xlen(RedisKeys.outbox(product)) == 0);
            assertThat(shard.xlen(RedisKeys.parked(product))).isEqualTo(1);
        }
    }

    @Test
    void health_and_counters_are_all_that_is_exposed() {
        assertThat(get("/actuator/health").status()).isEqualTo(200);
        assertThat(get("/actuator/prometheus").status()).isEqualTo(200);
        assertThat(get("/actuator/env").text("code")).isEqualTo("NOT_FOUND");
        assertThat(get("/actuator/metrics").text("code")).isEqualTo("NOT_FOUND");
    }

    private Answer get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    /** Remembers the reservations of one product. */
    private record Recorder(String product, Map<String, Reservation> seen)
            implements MessageHandler<Reservation> {

        @Override
        public void handle(List<Reservation> messages) {
            messages.stream()
                    .filter(message -> message.productId().equals(product))
                    .forEach(message -> seen.put(message.reservationId(), message));
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            throw new IllegalStateException("no message of a relay is damaged: " + body);
        }
    }
}
