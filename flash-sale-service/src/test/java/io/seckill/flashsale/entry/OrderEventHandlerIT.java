package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
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
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class OrderEventHandlerIT extends Hop {

    @Autowired
    private MessageSender sender;

    @Test
    void damaged_event_is_parked_once_and_stops_nobody() {
        sell(1, 1, 1);
        String id = deduct("alice").text("reservationId");
        String mark = "damaged of " + product;
        send("k", mark);
        send(
                id,
                Json.write(new OrderEvent(
                        id, product, "alice", 1, Status.ORDERED, "1".repeat(24), 2, null)));

        await().atMost(Duration.ofSeconds(30))
                .until(() -> "ORDERED".equals(result("alice").text("status")));
        onControl(jedis -> await().until(
                        () -> jedis.lrange(RedisKeys.PARKED_ORDER_EVENTS, 0, -1).stream()
                                        .filter(line -> line.contains(mark))
                                        .count()
                                == 1));
    }

    private void send(String key, String body) {
        assertThat(sender.send(OrderEvent.TOPIC, List.of(new Outgoing(key, body))))
                .isTrue();
    }
}
