package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;

class OrderEventHandlerIT extends Hop {

    @Autowired
    private MessageSender sender;

    @Autowired
    private OrderEventHandler handler;

    @Test
    void damaged_event_is_parked_once_and_stops_nobody() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        String mark = "damaged of " + product;
        send("k", mark);
        send(id, Json.write(ordered(id, "alice")));

        await().atMost(Duration.ofSeconds(30))
                .until(() -> "ORDERED".equals(result("alice").text("status")));
        await().atMost(Duration.ofSeconds(30)).until(() -> parked(mark) == 1);
    }

    @Test
    void event_of_a_removed_sale_is_not_kept() {
        OrderEvent event = ordered("a".repeat(32), "alice");
        onControl(jedis -> jedis.set(RedisKeys.removed(product), "1"));
        handler.handle(List.of(event));
        onControl(jedis -> {
            assertThat(jedis.exists(RedisKeys.result(product, "alice"))).isFalse();
            jedis.del(RedisKeys.removed(product));
        });
        handler.handle(List.of(event));
        onControl(jedis ->
                assertThat(jedis.exists(RedisKeys.result(product, "alice"))).isTrue());
    }

    @Test
    void event_that_cannot_be_kept_fails_the_batch_and_the_others_are_kept() {
        onControl(jedis -> jedis.set(RedisKeys.result(product, "alice"), "no hash"));
        List<OrderEvent> events =
                List.of(ordered("a".repeat(32), "alice"), ordered("b".repeat(32), "bob"));
        assertThatThrownBy(() -> handler.handle(events)).hasMessageContaining("WRONGTYPE");
        onControl(jedis -> {
            assertThat(jedis.hkeys(RedisKeys.result(product, "bob")))
                    .containsExactly("b".repeat(32));
            jedis.del(RedisKeys.result(product, "alice"));
        });
        handler.handle(events);
        onControl(jedis -> assertThat(jedis.hkeys(RedisKeys.result(product, "alice")))
                .containsExactly("a".repeat(32)));
    }

    /** What others read there meanwhile is a few more. */
    @Test
    void batch_is_kept_with_a_round_trip_for_very_many() {
        List<OrderEvent> events = batch(256);
        handler.handle(events.subList(0, 1)); // its script is known
        long before = readsOfControl();

        handler.handle(events);

        assertThat(readsOfControl() - before).isLessThan(events.size() / 4);
        onControl(jedis -> assertThat(events)
                .allMatch(event -> jedis.exists(RedisKeys.result(product, event.userId()))));
    }

    /** Times that it found something to read; commands that came together are one. */
    private static long readsOfControl() {
        try (Jedis jedis = CONTROL.connect()) {
            return jedis.info("stats")
                    .lines()
                    .filter(line -> line.startsWith("total_reads_processed:"))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void batch_that_finds_the_control_redis_away_is_handled_when_it_is_back() {
        List<OrderEvent> events = batch(300);
        CONTROL.kill();
        try {
            assertThatThrownBy(() -> handler.handle(events)).hasMessageContaining("control Redis");
        } finally {
            CONTROL.start();
        }
        await().ignoreExceptions().until(() -> {
            handler.handle(events);
            return true;
        });
        onControl(jedis -> assertThat(events)
                .allMatch(event -> jedis.exists(RedisKeys.result(product, event.userId()))));
    }

    @Test
    void message_that_comes_again_is_parked_once() {
        String body = "twice of " + product;
        handler.park("topic", "id", body, "no JSON");
        handler.park("topic", "id", body, "no JSON");
        assertThat(parked(body)).isEqualTo(1);
    }

    @Test
    void only_the_newest_parked_messages_are_kept() {
        handler.park("topic", "id", "oldest of " + product, "no JSON");
        for (int i = 0; i < OrderEventHandler.MAX_PARKED; i++) {
            handler.park("topic", "id " + i, "newer of " + product, "no JSON");
        }
        assertThat(parked("oldest of " + product)).isZero();
        assertThat(parked("newer of " + product)).isEqualTo(OrderEventHandler.MAX_PARKED);
    }

    private List<OrderEvent> batch(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> ordered("%032x".formatted(number), "user" + number))
                .toList();
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(id, product, user, 1, Status.ORDERED, "1".repeat(24), 2, null);
    }

    private long parked(String mark) {
        try (Jedis jedis = CONTROL.connect()) {
            return jedis.lrange(RedisKeys.PARKED_ORDER_EVENTS, 0, -1).stream()
                    .filter(line -> line.contains(mark))
                    .count();
        }
    }

    private void send(String key, String body) {
        assertThat(sender.send(OrderEvent.TOPIC, List.of(new Outgoing(key, body))))
                .isTrue();
    }
}
