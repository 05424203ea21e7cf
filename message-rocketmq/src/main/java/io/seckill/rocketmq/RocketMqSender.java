package io.seckill.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.client.impl.MQClientManager;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer for each start, for RocketMQ's cannot be started twice. SEND_OK is flushed to disk.
 */
final class RocketMqSender implements MessageSender {

    private static final Logger LOG = LoggerFactory.getLogger(RocketMqSender.class);

    /**
     * The client's own batching is unused but wakes twice in this time: 1 % of a core by default.
     */
    private static final int ACCUMULATOR_MS = 1_000;

    private static final int TIMEOUT_MS = 6_000; // above the broker's flush timeout of 5 s

    private final String name;
    private final Address namesrv;
    private final Set<String> failing = ConcurrentHashMap.newKeySet(); // topics: a handful
    private volatile @Nullable DefaultMQProducer producer; // null: not started

    RocketMqSender(String application, Address namesrv) {
        this.name = application + "-sender";
        this.namesrv = namesrv;
    }

    @Override
    public boolean send(String topic, List<Outgoing> batch) {
        if (batch.isEmpty() || batch.size() > MAX_BATCH) {
            throw new IllegalArgumentException("not 1 to " + MAX_BATCH + ": " + batch.size());
        }
        DefaultMQProducer current = producer;
        if (current == null) {
            return fails(topic, "the sender is not started");
        }
        List<Message> messages = batch.stream().map(out -> message(topic, out)).toList();
        try {
            SendStatus status = current.send(messages).getSendStatus();
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
    Optional<MQClientAPIImpl> client() {
        return Optional.ofNullable(producer)
                .map(current -> MQClientManager.getInstance()
                        .getOrCreateMQClientInstance(current)
                        .getMQClientAPIImpl());
    }

    private static Message message(String topic, Outgoing out) {
        return new Message(topic, null, out.key(), out.body().getBytes(UTF_8));
    }

    @Override
    public synchronized void start() {
        DefaultMQProducer fresh = new DefaultMQProducer(name);
        fresh.setNamesrvAddr(namesrv.toString());
        fresh.setInstanceName(name);
        fresh.setSendMsgTimeout(TIMEOUT_MS);
        fresh.setRetryTimesWhenSendFailed(0); // the outbox is the retry
        try {
            fresh.start();
        } catch (MQClientException e) {
            throw new IllegalStateException("RocketMQ producer cannot start", e);
        }
        fresh.batchMaxDelayMs(ACCUMULATOR_MS);
        producer = fresh;
    }

    @Override
    public synchronized void stop() {
        DefaultMQProducer current = producer;
        producer = null;
        if (current != null) {
            current.shutdown();
        }
    }

    @Override
    public boolean isRunning() {
        return producer != null;
    }
}
