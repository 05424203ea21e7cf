package io.seckill.rocketmq;

import io.seckill.common.Address;
import io.seckill.common.Loop;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;

/**
 * A push consumer that keeps its messages until they are handled.
 *
 * <p>A handler that throws (the database or a shard is away) is called again by {@link Handling}
 * with the same messages for as long as it takes: the broker is never asked for a redelivery, which
 * would walk its retry ladder. Meanwhile the client pulls nothing more, so what waits here is
 * bounded by what it had pulled, also when queues come and go; its heartbeats go on. Who pauses
 * between two tries lets another delivery have its permit; at most {@link #PAUSING} may. A queue that
 * moves to another instance takes its messages along: both may handle what this one has in hand.
 * The service may die at any point: what was not acknowledged comes again.
 *
 * <p>RocketMQ's client gives up when the name server is away at start, and cannot be started twice:
 * a loop makes a new one until one has started. That one finds its way back by itself.
 *
 * <p>Stop takes all permits of {@code inHand}, so it waits for the handler and no further call of
 * it begins. What has been pulled and waits for a thread, and what the handler could not do, is
 * neither acknowledged nor given back: its thread is held until the client has shut down, which
 * ignores its answer, and the broker delivers it at once to whoever gets the queue. Given back, it
 * would wait 10 s at the foot of the ladder.
 */
final class RocketMqConsumer<T> implements MessageConsumer, Handling.Flow {

    private static final Logger LOG = LoggerFactory.getLogger(RocketMqConsumer.class);

    /**
     * Messages the handler gets at once, and the broker is asked for at once; the broker's own
     * bound ({@code maxTransferCountOnMessageInMemory} of broker.conf, 32 by default) must not be
     * lower.
     */
    static final int MAX_BATCH = 256;

    /**
     * Between two pulls of a queue: what comes in meanwhile is one batch. The first message after
     * a silence is not held up, for its pull is waiting at the broker.
     */
    private static final int PULL_PAUSE_MS = 50;

    /** What the broker knows of what is done is at most so old. 5 s by default. */
    private static final int COMMIT_EVERY_MS = 500;

    /**
     * Deliveries that may pause, each on a thread that is there as long; beyond them others wait.
     * For half a minute of four queues, each asked twice a second.
     */
    private static final int PAUSING = 256;

    /** The more pause the seldomer is asked, up to so long: what comes in meanwhile is one more. */
    private static final int LONGEST_PULL_PAUSE_MS = 500;

    /** Messages of a queue in hand, most of them handled where some of each delivery wait. */
    private static final int IN_HAND_OF_A_QUEUE = 5_000; // 1,000 by default

    /** From the first message of a queue that waits to the last that is pulled. */
    private static final int SPAN = 20_000; // 2,000 by default

    /** In minutes. After 15, by default, the client itself would give back what is in hand. */
    private static final long CONSUME_TIMEOUT_MIN = Duration.ofDays(36_500).toMinutes();

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    /** When a question for the topic's route had no answer; 30 s by default. */
    private static final int ROUTE_AGAIN_MS = 5_000;

    private static final int STOP_WAIT_MS = 8_000; // below the 10 s a phase has to stop

    /** Tells the clients of this process apart; two of one name in a group would be one. */
    private static final AtomicLong STARTED = new AtomicLong();

    private final Progress progress;
    private final Address namesrv;
    private final String topic;
    private final Class<T> type;
    private final MessageHandler<T> handler;
    private final int threads;
    private final Loop starter;
    private final Handling<T> handling;
    private final Semaphore inHand; // a permit: one call of the handler
    private volatile CountDownLatch shutDown = new CountDownLatch(0);
    private volatile @Nullable DefaultMQPushConsumer consumer;
    private volatile boolean held; // the client pulls nothing
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet(); // they paused and may again
    private volatile boolean running;

    RocketMqConsumer(
            Progress progress,
            Address namesrv,
            String topic,
            Class<T> type,
            MessageHandler<T> handler,
            int threads) {
        this.progress = progress;
        this.namesrv = namesrv;
        this.topic = topic;
        this.type = type;
        this.handler = handler;
        this.threads = threads;
        starter = Loop.every("start of the consumer of " + topic, Duration.ZERO, this::startOnce);
        inHand = new Semaphore(threads, true);
        handling = new Handling<>(topic, handler, this, FIRST_PAUSE, LONGEST_PAUSE);
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
        DefaultMQPushConsumer fresh = new DefaultMQPushConsumer(progress.group());
        fresh.setNamesrvAddr(namesrv.toString());
        fresh.setInstanceName(progress.group() + "-" + ProcessHandle.current().pid() + "-"
                + STARTED.incrementAndGet());
        fresh.setPollNameServerInterval(ROUTE_AGAIN_MS);
        fresh.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        fresh.setPullBatchSize(MAX_BATCH);
        fresh.setPullInterval(PULL_PAUSE_MS);
        fresh.setConsumeMessageBatchMaxSize(MAX_BATCH);
        fresh.setDecodeDecompressBody(false); // nobody packs; who says so falsely would end a pull
        fresh.setPersistConsumerOffsetInterval(COMMIT_EVERY_MS);
        fresh.setConsumeTimeout(CONSUME_TIMEOUT_MIN);
        fresh.setMaxReconsumeTimes(Integer.MAX_VALUE);
        fresh.setPullThresholdForQueue(IN_HAND_OF_A_QUEUE);
        fresh.setConsumeConcurrentlyMaxSpan(SPAN);
        fresh.setConsumeThreadMin(threads);
        fresh.setConsumeThreadMax(threads + PAUSING + 1); // which the client never reaches
        MessageListenerConcurrently listener =
                (messages, context) -> consume(messages, context.getMessageQueue());
        fresh.registerMessageListener(listener);
        return fresh;
    }

    /** One that started when stop had already given up waiting for it must not live on. */
    private synchronized void adopt(DefaultMQPushConsumer fresh) {
        if (running) {
            consumer = fresh;
            makeRoom();
        } else {
            fresh.shutdown();
        }
    }

    private ConsumeConcurrentlyStatus consume(List<MessageExt> messages, MessageQueue queue) {
        boolean handled = false;
        Progress.InHand its = progress.take(queue, messages);
        inHand.acquireUninterruptibly();
        try {
            Delivery<T> delivery = new Delivery<>(topic, type, handler, messages);
            handled = running && handling.handle(delivery, its::left);
        } finally {
            inHand.release();
            if (waiting.remove(Thread.currentThread())) {
                makeRoom();
            }
        }
        if (!handled && !running) {
            awaitShutDown();
        }
        return handled
                ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                : ConsumeConcurrentlyStatus.RECONSUME_LATER;
    }

    @Override
    public synchronized void hold() {
        if (consumer != null && !held) {
            consumer.suspend();
            held = true;
        }
    }

    @Override
    public synchronized void go() {
        if (consumer != null && held) {
            consumer.resume();
            held = false;
        }
    }

    /** The client interrupts when it shuts down; whoever runs on waits again. */
    @Override
    public void pause(long ms) {
        if (waiting.add(Thread.currentThread())) {
            makeRoom();
        }
        inHand.release();
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            LOG.debug("{}: interrupted by the client that shuts down", topic);
        } finally {
            inHand.acquireUninterruptibly();
        }
    }

    /** As many threads as ever are left for others. */
    private synchronized void makeRoom() {
        if (consumer != null) {
            consumer.updateCorePoolSize(threads + Math.min(PAUSING, waiting.size()));
            consumer.setPullInterval(
                    Math.min(LONGEST_PULL_PAUSE_MS, PULL_PAUSE_MS * (1L + waiting.size())));
        }
    }

    /** Also when the client interrupts it, which is how it shuts down. */
    private void awaitShutDown() {
        CountDownLatch end = shutDown;
        boolean over = false;
        while (!over) {
            try {
                end.await();
                over = true;
            } catch (InterruptedException e) {
                LOG.debug("{}: interrupted by the client that shuts down", topic);
            }
        }
    }

    @Override
    public void start() {
        shutDown = new CountDownLatch(1);
        progress.forget();
        running = true;
        starter.start();
    }

    @Override
    public void stop() {
        running = false;
        starter.stop();
        boolean idle = awaitHandlers();
        shutDownClient();
        shutDown.countDown();
        if (idle) {
            inHand.release(threads);
        }
    }

    /** Whoever is not done by then is interrupted by the client. */
    private boolean awaitHandlers() {
        try {
            return inHand.tryAcquire(threads, STOP_WAIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void shutDownClient() {
        if (consumer != null) {
            consumer.shutdown();
            consumer = null;
            held = false;
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
                .withDetail("held", held)
                .build();
    }
}
