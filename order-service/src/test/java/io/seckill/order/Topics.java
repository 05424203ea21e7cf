package io.seckill.order;

import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.RocketMqProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;

/**
 * Makes the topics before anybody listens, as a running copy does: a late topic is found after 30
 * s.
 */
final class Topics {

    private Topics() {}

    @SuppressWarnings("deprecation") // the client knows no other way to make one
    static RocketMqProcess made(RocketMqProcess broker) {
        DefaultMQProducer producer = new DefaultMQProducer("topics");
        producer.setNamesrvAddr(broker.namesrv());
        try {
            producer.start();
            for (String topic : List.of(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC)) {
                producer.createTopic("TBW102", topic, 4, Map.of());
                await().ignoreExceptions()
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> !producer.fetchPublishMessageQueues(topic).isEmpty());
            }
        } catch (MQClientException e) {
            throw new IllegalStateException("no topics for the tests", e);
        } finally {
            producer.shutdown();
        }
        return broker;
    }
}
