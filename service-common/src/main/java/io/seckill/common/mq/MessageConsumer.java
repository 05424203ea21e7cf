package io.seckill.common.mq;

import io.seckill.common.Address;
import io.seckill.common.Loop;
import io.seckill.contracts.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;

/**
 * Consumes one topic in batches. Each message is done, parked, or comes again; none is dropped.
 *
 * <p>A handler that throws (the database or a shard is away) is called again with the same
 * messages, with a growing pause, and that pauses consumption: asking the broker for a redelivery
 * would walk the retry ladder and is done only after {@link #PATIENCE}, below the client's own
 * limit of 15 minutes whatever one try costs. The ladder has no end: its last step, two hours, is
 * repeated, and nothing goes to a dead-letter queue. The service may die at any point: what was not
 * acknowledged comes again.
 *
 * <p>RocketMQ's client gives up when the name server is away at start, and cannot be started twice:
 * a loop makes a new one until one has started. That one finds its way back by itself. Health is
 * green meanwhile and says {@code started: false}. As the last to start and the first to stop it
 * works only while everything its handler needs does.
 */
public final class MessageConsumer<T> implements SmartLifecycle, HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(MessageConsumer.class);
    private static final int MAX_BATCH = 32;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** When a question for the topic's route had no answer; 30 s by default. */
    private static final int ROUTE_AGAIN_MS = 5_000;

    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 2_000;

    private final String group;
    private final Address namesrv;
    private final String topic;
    private final Class<T> type;
    private final MessageHandler<T> handler;
    private final int threads;
    private final Loop starter;
    private volatile DefaultMQPushConsumer consumer;
    private volatile boolean running;

    public MessageConsumer(
            String group,
            Address namesrv,
            String topic,
            Class<T> type,
            MessageHandler<T> handler,
            int threads) {
        this.group = group;
        this.namesrv = namesrv;
        this.topic = topic;
        this.type = type;
        this.handler = handler;
        this.threads = threads;
        starter = Loop.every("start of the consumer of " + topic, Duration.ZERO, this::startOnce);
    }

    private void startOnce() {
        DefaultMQPushConsumer fresh = fresh();
        try {
            fresh.subscribe(topic, "*");
            fresh.start();
        } catch (MQClientException e) {
            throw new IllegalStateException("RocketMQ: " + e.getErrorMessage(), e);
        }
        adopt(fresh);
        starter.finish();
    }

    private DefaultMQPushConsumer fresh() {
        DefaultMQPushConsumer fresh = new DefaultMQPushConsumer(group);
        fresh.setNamesrvAddr(namesrv.toString());
        fresh.setInstanceName(
                group + "-" + topic + "-" + ProcessHandle.current().pid());
        fresh.setPollNameServerInterval(ROUTE_AGAIN_MS);
        fresh.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        fresh.setConsumeMessageBatchMaxSize(MAX_BATCH);
        fresh.setMaxReconsumeTimes(Integer.MAX_VALUE);
        fresh.setConsumeThreadMin(threads);
        fresh.setConsumeThreadMax(threads);
        MessageListenerConcurrently listener = (messages, context) -> consume(messages);
        fresh.registerMessageListener(listener);
        return fresh;
    }

    /** One that started when stop had already given up waiting for it must not live on. */
    private synchronized void adopt(DefaultMQPushConsumer fresh) {
        if (running) {
            consumer = fresh;
        } else {
            fresh.shutdown();
        }
    }

    private ConsumeConcurrentlyStatus consume(List<MessageExt> messages) {
        long startNs = System.nanoTime();
        long pauseMs = FIRST_PAUSE_MS;
        while (running && System.nanoTime() - startNs < PATIENCE.toNanos()) {
            try {
                handler.handle(readable(messages));
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            } catch (RuntimeException e) {
                if (pauseMs == FIRST_PAUSE_MS) {
                    LOG.warn(
                            "{}: {} messages wait until they can be handled: {}",
                            topic,
                            messages.size(),
                            e.toString());
                }
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

    /** Never fails and never waits for the name server. */
    @Override
    public void start() {
        running = true;
        starter.start();
    }

    @Override
    public void stop() {
        running = false;
        starter.stop();
        shutDown();
    }

    private synchronized void shutDown() {
        if (consumer != null) {
            consumer.shutdown();
            consumer = null;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public Health health() {
        return Health.status(starter.health().getStatus())
                .withDetail("started", consumer != null)
                .build();
    }
}
