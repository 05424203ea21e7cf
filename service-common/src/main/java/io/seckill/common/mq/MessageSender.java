package io.seckill.common.mq;

import io.seckill.common.Address;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.client.impl.MQClientManager;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Sends batches to RocketMQ and says whether the broker has them on disk.
 *
 * <p>{@code true} is SEND_OK (flushed). {@code false} is everything else and means unknown: the
 * caller keeps its outbox entries and sends them again; consumers take duplicates. Each topic's
 * first failure and its recovery are logged, what is between is not.
 */
public final class MessageSender implements SmartLifecycle {

    /** Messages per batch; a batch stays far below the broker's limit of 4 MiB. */
    public static final int MAX_BATCH = 64;

    private static final Logger LOG = LoggerFactory.getLogger(MessageSender.class);

    /**
     * The client's own batching is unused but wakes twice in this time: 1 % of a core by default.
     */
    private static final int ACCUMULATOR_MS = 1_000;

    private static final int TIMEOUT_MS = 6_000; // above the broker's flush timeout of 5 s

    private final DefaultMQProducer producer;
    private final Set<String> failing = ConcurrentHashMap.newKeySet(); // topics: a handful
    private volatile boolean running;

    public MessageSender(String service, Address namesrv) {
        producer = new DefaultMQProducer(service + "-sender");
        producer.setNamesrvAddr(namesrv.toString());
        producer.setInstanceName(service + "-sender");
        producer.setSendMsgTimeout(TIMEOUT_MS);
        producer.setRetryTimesWhenSendFailed(0); // the outbox is the retry
    }

    /** What to send: the body, and the key under which an operator finds it in the broker. */
    public record Outgoing(String key, String body) {}

    /** Sends 1 to {@link #MAX_BATCH} messages to one topic. */
    public boolean send(String topic, List<Outgoing> batch) {
        List<Message> messages = batch.stream().map(out -> message(topic, out)).toList();
        try {
            SendStatus status = producer.send(messages).getSendStatus();
            return status == SendStatus.SEND_OK ? works(topic) : fails(topic, status.name());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Exception e) {
            return fails(topic, e.toString().lines().findFirst().orElseThrow());
        }
    }

    private boolean works(String topic) {
        if (failing.remove(topic)) {
            LOG.info("messages for {} are confirmed again", topic);
        }
        return true;
    }

    private boolean fails(String topic, String reason) {
        if (failing.add(topic)) {
            LOG.warn("messages for {} are not confirmed, will be sent again: {}", topic, reason);
        }
        return false;
    }

    /** The client under the producer, which can ask the broker more than a producer offers. */
    MQClientAPIImpl client() {
        return MQClientManager.getInstance()
                .getOrCreateMQClientInstance(producer)
                .getMQClientAPIImpl();
    }

    private static Message message(String topic, Outgoing out) {
        return new Message(topic, null, out.key(), out.body().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void start() {
        try {
            producer.start();
            producer.batchMaxDelayMs(ACCUMULATOR_MS);
            running = true;
        } catch (MQClientException e) {
            throw new IllegalStateException("RocketMQ producer cannot start", e);
        }
    }

    @Override
    public void stop() {
        producer.shutdown();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the relays that use it, and stopped after them. */
    @Override
    public int getPhase() {
        return 0;
    }
}
