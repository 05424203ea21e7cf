package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.flashsale.Hop;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.testkit.RedisProcess;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class ResultQueryIT extends Hop {

    private static final String SN = "1".repeat(24);
    private static final long PAY_BY_MS = 1_763_719_200_000L;

    @Autowired
    private MessageSender sender;

    @Autowired
    private ResultStore results;

    @Test
    void buyer_sees_pending_then_the_order_then_that_it_was_cancelled() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        assertThat(result("alice").body()).isEqualTo(Map.of("status", "PENDING"));

        send(event(id, "alice", 1, Status.ORDERED));
        awaitResult(
                "alice",
                Map.of(
                        "status",
                        "ORDERED",
                        "orderSn",
                        SN,
                        "payBy",
                        Instant.ofEpochMilli(PAY_BY_MS).toString()));

        Map<String, Object> cancelled =
                Map.of("status", "CANCELLED", "orderSn", SN, "reason", "UNPAID");
        send(event(id, "alice", 1, Status.CANCELLED));
        awaitResult("alice", cancelled);
        giveBack("alice", id);
        assertThat(result("alice").body()).isEqualTo(cancelled);
    }

    @Test
    void pending_says_to_ask_again_after_as_long_as_the_attempt_has_waited_within_bounds() {
        sell(3, 3, 3);
        deduct("alice");
        long nowMs = System.currentTimeMillis();
        mark("bob", 0, nowMs - 1_000);
        mark("carol", 0, nowMs - 60_000);
        mark("dave", 0, nowMs + 60_000);

        assertThat(retryAfterMs("alice")).isBetween(200, 1_000); // it was made just now
        assertThat(retryAfterMs("bob")).isBetween(1_000, 2_500);
        assertThat(retryAfterMs("carol")).isEqualTo(3_000);
        assertThat(retryAfterMs("dave")).as("by a clock ahead").isEqualTo(200);
    }

    private int retryAfterMs(String user) {
        return (Integer) Json.read(result(user).response().body(), Map.class).get("retryAfterMs");
    }

    @Test
    void order_is_told_while_no_shard_is_there_and_a_try_without_one_is_busy() {
        sell(1, 1, 1);
        results.store(List.of(event("1".repeat(32), "alice", 1, Status.ORDERED)));
        SHARDS.forEach(RedisProcess::kill);
        try {
            assertThat(result("alice").text("status")).isEqualTo("ORDERED");
            assertThat(result("bob").status()).isEqualTo(503);
        } finally {
            IntStream.range(0, SHARDS.size()).forEach(this::takeBack);
        }
        await().until(() -> result("bob").status() == 200);
    }

    @Test
    void poll_is_a_get_of_a_user_and_a_product() {
        Answer posted = send(request("result", "alice").POST(BodyPublishers.noBody()));
        assertThat(posted.header(EdgeHeaders.CODE)).isEqualTo("METHOD_NOT_ALLOWED");
        assertThat(result("a b").header(EdgeHeaders.CODE)).isEqualTo("BAD_REQUEST");
        assertThat(result("alice").header(EdgeHeaders.CODE)).isEqualTo("NO_SUCH_SALE");
    }

    @Test
    void repeated_polls_ask_no_store_and_hear_what_comes_meanwhile() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        assertThat(result("alice").text("status")).isEqualTo("PENDING");
        long before = reads();
        int polls = 200;
        for (int i = 0; i < polls; i++) {
            assertThat(result("alice").text("status")).isEqualTo("PENDING");
        }
        assertThat(reads() - before).as("of %s polls", polls).isLessThan(polls / 2);
        results.store(List.of(event(id, "alice", 1, Status.ORDERED)));
        assertThat(result("alice").text("status")).isEqualTo("ORDERED");
    }

    /** Of results: no other command of this service reads all values of a hash. */
    private static long reads() {
        long[] calls = new long[1];
        onControl(jedis -> {
            Matcher found = Pattern.compile("cmdstat_hvals:calls=(\\d+)")
                    .matcher(jedis.info("commandstats"));
            calls[0] = found.find() ? Long.parseLong(found.group(1)) : 0;
        });
        return calls[0];
    }

    @Test
    void late_and_repeated_events_never_take_a_result_back() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        for (Status status :
                List.of(Status.CANCELLED, Status.ORDERED, Status.CANCELLED, Status.ORDERED)) {
            results.store(List.of(event(id, "alice", 1, status)));
            assertThat(result("alice").text("status")).isEqualTo("CANCELLED");
        }
    }

    @Test
    void rejected_duplicate_does_not_hide_the_live_order_in_whichever_order_they_come() {
        sell(1, 1, 1);
        String live = deduct("alice").text("reservationId");
        OrderEvent ordered = event(live, "alice", 1, Status.ORDERED);
        OrderEvent duplicate = event("f".repeat(32), "alice", 2, Status.REJECTED);

        results.store(List.of(duplicate));
        assertThat(result("alice").text("status")).isEqualTo("PENDING");
        results.store(List.of(ordered));
        assertThat(result("alice").text("status")).isEqualTo("ORDERED");
        results.store(List.of(duplicate));
        assertThat(result("alice").text("status")).isEqualTo("ORDERED");
    }

    /** The home shard took the unit, died unanswered and came back; the next one sold as well. */
    @Test
    void order_of_a_foreign_shard_is_told_while_the_home_shard_holds_a_mark_too() {
        sell(1, 1, 1);
        String user = userAt(0, 1);
        String ordered = mark(user, 1);
        String twin = mark(user, 0);
        results.store(List.of(event(twin, user, 1, Status.REJECTED)));
        assertThat(result(user).text("status")).isEqualTo("PENDING");
        results.store(List.of(event(ordered, user, 2, Status.ORDERED)));
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
    }

    @Test
    void mark_without_a_result_does_not_hide_the_live_order_in_another_shard() {
        sell(1, 1, 1);
        String user = userAt(0, 1);
        String ordered = mark(user, 1);
        String twin = mark(user, 0);
        results.store(List.of(event(ordered, user, 1, Status.ORDERED)));
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
        results.store(List.of(event(twin, user, 2, Status.REJECTED)));
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
        results.store(List.of(event(ordered, user, 1, Status.CANCELLED)));
        assertThat(result(user).text("status")).isEqualTo("REJECTED");
    }

    @Test
    void rejected_reservation_is_told_with_its_reason_and_the_next_try_is_pending() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        results.store(List.of(event(id, "alice", 1, Status.REJECTED)));
        Map<String, Object> rejected = Map.of("status", "REJECTED", "reason", "UNPAID");
        assertThat(result("alice").body()).isEqualTo(rejected);

        giveBack("alice", id);
        assertThat(result("alice").body()).isEqualTo(rejected);
        assertThat(deduct("alice").status()).isEqualTo(202);
        assertThat(result("alice").body()).isEqualTo(Map.of("status", "PENDING"));
    }

    @Test
    void newest_of_several_ended_reservations_is_told() {
        sell(1, 1, 1);
        results.store(List.of(event("2".repeat(32), "alice", 20, Status.REJECTED)));
        results.store(List.of(event("1".repeat(32), "alice", 10, Status.CANCELLED)));
        assertThat(result("alice").text("status")).isEqualTo("REJECTED");
    }

    @Test
    void user_without_a_reservation_is_told_none_or_sold_out() {
        sell(1, 1, 1);
        assertThat(result("alice").body()).isEqualTo(Map.of("status", "NONE"));
        sell(Map.of("sold_out", "1"), 0, 0, 0);
        assertThat(result("alice").body()).isEqualTo(Map.of("status", "SOLD_OUT"));
    }

    @Test
    void results_are_bounded_and_never_expire() {
        sell(1, 1, 1);
        for (int i = 1; i <= 30; i++) {
            results.store(List.of(event("%032x".formatted(i), "alice", i, Status.REJECTED)));
        }
        onControl(jedis -> {
            String key = RedisKeys.result(product, "alice");
            assertThat(jedis.hkeys(key))
                    .hasSize(20)
                    .contains("%032x".formatted(30), "%032x".formatted(11));
            assertThat(jedis.ttl(key)).isEqualTo(-1);
        });
    }

    private void send(OrderEvent event) {
        Outgoing outgoing = new Outgoing(event.reservationId(), Json.write(event));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> sender.send(OrderEvent.TOPIC, List.of(outgoing)));
    }

    private void awaitResult(String user, Map<String, Object> expected) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(result(user).body()).isEqualTo(expected));
    }

    private OrderEvent event(String id, String user, long reservedAtMs, Status status) {
        return new OrderEvent(id, product, user, reservedAtMs, status, SN, PAY_BY_MS, "UNPAID");
    }

    /** Takes a unit for the user in this very shard. */
    private String mark(String user, int shard) {
        return mark(user, shard, System.currentTimeMillis());
    }

    private String mark(String user, int shard, long madeAtMs) {
        String id = "%012x%020x".formatted(madeAtMs, shard);
        Reserve wish = new Reserve(id, product, user, 1, true, Long.MAX_VALUE / 2);
        assertThat(surely(() -> shards.get(shard).reserve(wish)).word())
                .isEqualTo(ReserveOutcome.Word.TAKEN);
        return id;
    }

    private void giveBack(String user, String id) {
        QuantityStock shard = shards.all().stream()
                .filter(s -> books(s).buyers().containsKey(user))
                .findFirst()
                .orElseThrow();
        surely(() -> shard.giveBack(
                new StockReturn(id, product, user, 1, shard.index(), 1, Action.RETURN, "TEST")));
    }
}
