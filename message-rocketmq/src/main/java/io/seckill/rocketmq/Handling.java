package io.seckill.rocketmq;

import io.seckill.common.message.HeldUpException;
import io.seckill.common.message.MessageHandler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Calls a handler with a delivery until nothing of it is left, however long that takes.
 *
 * <p>What a failure means is asked of the handler. Something that it needs is away: the delivery
 * waits whole, with a growing pause, and nothing more is pulled meanwhile. Nothing is: the fault is
 * in a message, which is found by halving, while its neighbours are handled; alone it is tried
 * {@link #TRIES} times, the others first, and then parked. So an outage parks nothing unless it
 * begins and ends within each of as many tries. Who is held up, as the handler says, comes again
 * alone for as long as it takes. Pauses are the flow's: others are handled meanwhile.
 */
final class Handling<T> {

    /** Also so many pauses: one that another transaction stands in the way of has its time. */
    static final int TRIES = 10;

    private static final Logger LOG = LoggerFactory.getLogger(Handling.class);

    private final String topic;
    private final MessageHandler<T> handler;
    private final Flow flow;
    private final BackOff pauses;

    /** Of messages, to where they are handled. */
    interface Flow {

        boolean isRunning();

        /** Something that the handler needs is away: no more messages for now. */
        void hold();

        /** Messages are handled. */
        void go();

        /** Whoever waits for its turn has it meanwhile. */
        void pause(long ms);
    }

    Handling(String topic, MessageHandler<T> handler, Flow flow, Duration first, Duration longest) {
        this.topic = topic;
        this.handler = handler;
        this.flow = flow;
        ExponentialBackOff growing = new ExponentialBackOff(first.toMillis(), 2);
        growing.setMaxInterval(longest.toMillis());
        pauses = growing;
    }

    /**
     * False: the consumer stopped before all of it was done. Says after each step how many of its
     * messages are left.
     */
    boolean handle(Delivery<T> delivery, IntConsumer left) {
        Deque<Delivery<T>> parts = new ArrayDeque<>();
        parts.add(delivery);
        BackOffExecution pause = pauses.start();
        boolean failed = false;
        while (flow.isRunning() && !parts.isEmpty()) {
            Delivery<T> part = parts.remove();
            boolean done = false;
            try {
                part.to(handler);
                flow.go();
                done = true;
            } catch (HeldUpException e) {
                flow.go();
                parts.addLast(part.only(e.messages()));
            } catch (RuntimeException | Error e) {
                if (!failed) {
                    LOG.warn(
                            "{}: {} messages wait until they can be handled: {}",
                            topic,
                            part.size(),
                            e.toString());
                }
                failed = true;
                keep(part, parts, e);
            }
            left.accept(parts.stream().mapToInt(Delivery::size).sum());
            if (done) {
                pause = pauses.start();
            } else {
                flow.pause(pause.nextBackOff());
            }
        }
        if (failed && parts.isEmpty()) {
            LOG.info("{}: messages that waited are handled", topic);
        }
        return parts.isEmpty();
    }

    private void keep(Delivery<T> part, Deque<Delivery<T>> parts, Throwable failure) {
        if (!isReady()) {
            flow.hold();
            parts.addFirst(part);
            return;
        }
        flow.go(); // what was away is back, also where nothing but a bad message is left
        if (part.canBeHalved()) {
            part.halves().forEach(parts::addFirst);
        } else if (part.countFailure() < TRIES || !isParked(part, failure)) {
            parts.addLast(part);
        }
    }

    private boolean isReady() {
        try {
            handler.checkReady();
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    private boolean isParked(Delivery<T> part, Throwable failure) {
        try {
            part.giveUp(handler, failure);
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }
}
