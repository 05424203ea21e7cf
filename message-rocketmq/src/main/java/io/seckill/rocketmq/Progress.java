package io.seckill.rocketmq;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * How far a consumer has got in each of its queues: to the last message that was delivered to it,
 * less those it still has in hand. What it commits stops before the oldest in hand; this does not.
 *
 * <p>The client delivers a queue's messages in their order, from what the group has committed on:
 * so whatever is not done is in hand, or comes later. Of two deliveries that begin at once the
 * later one may be counted first, and a look in between takes the other for done.
 */
final class Progress {

    private final String group;
    private final Map<MessageQueue, Queue> queues = new ConcurrentHashMap<>(); // a handful

    Progress(String group) {
        this.group = group;
    }

    /** Messages: up to which one they were delivered, and how many of those are in hand. */
    private static final class Queue {

        private long end;
        private long inHand;

        synchronized void take(long newEnd, int count) {
            end = Math.max(end, newEnd);
            inHand += count;
        }

        synchronized void finish(int count) {
            inHand -= count;
        }

        synchronized long done(long sent) {
            end = Math.min(end, sent + inHand);
            return end - inHand;
        }
    }

    /** A delivery, of which fewer and fewer are in hand. Of one thread. */
    static final class InHand {

        private final Queue queue;
        private int left;

        private InHand(Queue queue, int count) {
            this.queue = queue;
            left = count;
        }

        void left(int count) {
            queue.finish(left - count);
            left = count;
        }
    }

    String group() {
        return group;
    }

    /** These are delivered, the last of them last. */
    InHand take(MessageQueue queue, List<MessageExt> messages) {
        int count = messages.size();
        Queue its = queues.computeIfAbsent(queue, q -> new Queue());
        its.take(messages.get(count - 1).getQueueOffset() + 1, count);
        return new InHand(its, count);
    }

    /**
     * How many are done, as far as is known here, of so many that the queue ever had: a broker that
     * lost some begins with fewer.
     */
    long done(String ofGroup, MessageQueue queue, long sent) {
        Queue its = queues.get(queue);
        return its != null && group.equals(ofGroup) ? Math.max(0, its.done(sent)) : 0;
    }

    /** What is in hand will come again. */
    void forget() {
        queues.clear();
    }
}
