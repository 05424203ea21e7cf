package io.seckill.common.mq;

import io.seckill.common.Address;
import io.seckill.contracts.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Consumes one topic in batches. Each message is done, parked, or comes again; none is dropped.
 *
 * <p>A handler that throws (the database or a shard is away) is called again with the same messages,
 * with a growing pause, and that pauses consumption: asking the broker for a redelivery would walk
 * the retry ladder into the dead-letter queue and is done only after {@link #MAX_TRIES}, below the
 * client's own limit of 15 minutes. The service may die at any point: what was not acknowledged comes
 * again.
 */
public final class MessageConsumer<T> implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(MessageConsumer.class);
    private static final int MAX_BATCH = 32;
    private static final int MAX_TRIES = 150;
    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 2_000;

    private final String topic;
    private final Class<T> type;
    private final MessageHandler<T> handler;
    private final DefaultMQPushConsumer consumer;
    private volatile boolean running;

    public MessageConsumer(
            String group, Address namesrv, String topic, Class<T> type, MessageHandler<T> handler,
            int threads) {
        this.topic = topic;
        this.type = type;
        this.handler = handler;
        consumer = new DefaultMQPushConsumer(group);
        consumer.setNamesrvAddr(namesrv.toString());
        consumer.setInstanceName(group + "-" + topic + "-" + ProcessHandle.current().pid());
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setConsumeMessageBatchMaxSize(MAX_BATCH);
        consumer.setConsumeThreadMin(threads);
        consumer.setConsumeThreadMax(threads);
        MessageListenerConcurrently listener = (messages, context) -> consume(messages);
        consumer.registerMessageListener(listener);
    }

    private ConsumeConcurrentlyStatus consume(List<MessageExt> messages) {
        long pauseMs = FIRST_PAUSE_MS;
        for (int tries = 1; tries <= MAX_TRIES && running; tries++) {
            try {
                handler.handle(readable(messages));
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            } catch (RuntimeException e) {
                LOG.warn("{}: {} messages wait, try {}: {}",
                        topic, messages.size(), tries, e.toString());
                if (!pause(pauseMs)) {
                    break;
                }
                pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
            }
        }
        return ConsumeConcurrentlyStatus.RECONSUME_LATER;
    }

    /** Parses the batch; a message that cannot be read is parked and left out. */
    private List<T> readable(List<MessageExt> messages) {
        List<T> readable = new ArrayList<>(messages.size());
        for (MessageExt message : messages) {
            String body = new String(message.getBody(), StandardCharsets.UTF_8);
            try {
                readable.add(Json.read(body, type));
            } catch (IllegalArgumentException e) {
                handler.park(topic, message.getMsgId(), body, e.getMessage());
            }
        }
        return readable;
    }

    private static boolean pause(long ms) {
        try {
            Thread.sleep(ms);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void start() {
        try {
            consumer.subscribe(topic, "*");
            running = true;
            consumer.start();
        } catch (MQClientException e) {
            throw new IllegalStateException("RocketMQ consumer of " + topic + " cannot start", e);
        }
    }

    @Override
    public void stop() {
        running = false;
        consumer.shutdown();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
