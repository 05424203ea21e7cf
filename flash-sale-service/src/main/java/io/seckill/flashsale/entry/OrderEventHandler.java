package io.seckill.flashsale.entry;

import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.query.ResultStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;

/**
 * Keeps what order-service says about reservations.
 *
 * <p>A message that cannot be read goes to a list in the control Redis, the newest {@link
 * #MAX_PARKED}; older ones are in the log. The same message twice is kept once.
 */
@Component
final class OrderEventHandler implements MessageHandler<OrderEvent> {

    private static final String PARKED = RedisKeys.PARKED_ORDER_EVENTS;
    static final int MAX_PARKED = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(OrderEventHandler.class);

    private final ResultStore results;
    private final RedisClient control;

    OrderEventHandler(ResultStore results, RedisClient control) {
        this.results = results;
        this.control = control;
    }

    @Override
    public void handle(List<OrderEvent> events) {
        results.store(events);
    }

    @Override
    public void checkReady() {
        control.ping();
    }

    @Override
    public void park(String topic, String messageId, String body, String reason) {
        LOG.error("message {} of {} is parked in {}: {}", messageId, topic, PARKED, reason);
        String line = Json.write(new TreeMap<>(
                Map.of("topic", topic, "messageId", messageId, "body", body, "reason", reason)));
        control.lrem(PARKED, 0, line);
        control.lpush(PARKED, line);
        control.ltrim(PARKED, 0, MAX_PARKED - 1);
    }
}
