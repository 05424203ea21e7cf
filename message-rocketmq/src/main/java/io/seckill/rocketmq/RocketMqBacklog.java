package io.seckill.rocketmq;

import io.seckill.common.message.Backlog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.admin.OffsetWrapper;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of all queues of the topic and of the group's retry topic: the broker's end less the group's
 * committed offset.
 *
 * <p>A consumer commits every half second and not beyond its oldest message in hand, so the number
 * may be too high, and is not too low: no consumer gives a message back to be delivered later.
 * {@link Progress} knows what consumers of this process have done beyond it.
 */
final class RocketMqBacklog implements Backlog {

    private static final Logger LOG = LoggerFactory.getLogger(RocketMqBacklog.class);

    private static final int TIMEOUT_MS = 1_000; // of each question, of which there are 3 per topic

    private final RocketMqSender sender;
    private final List<Progress> here; // of the consumers of this process
    private final Set<String> failing = ConcurrentHashMap.newKeySet(); // topics: a handful

    RocketMqBacklog(RocketMqSender sender, List<Progress> here) {
        this.sender = sender;
        this.here = here;
    }

    @Override
    public OptionalLong of(String topic, String group) {
        Map<MessageQueue, OffsetWrapper> offsets = offsets(topic, group);
        return offsets == null
                ? OptionalLong.empty()
                : OptionalLong.of(offsets.values().stream()
                        .mapToLong(RocketMqBacklog::unacknowledged)
                        .sum());
    }

    @Override
    public Optional<List<Queue>> queues(String topic, String group) {
        return Optional.ofNullable(offsets(topic, group))
                .map(all -> all.entrySet().stream()
                        .map(of -> queue(group, of.getKey(), of.getValue()))
                        .toList());
    }

    private Queue queue(String group, MessageQueue queue, OffsetWrapper offsets) {
        long sent = offsets.getBrokerOffset();
        long acknowledged = sent - unacknowledged(offsets);
        long doneHere =
                here.stream().mapToLong(p -> p.done(group, queue, sent)).max().orElse(0);
        String name = queue.getTopic() + " " + queue.getBrokerName() + " " + queue.getQueueId();
        return new Queue(name, sent, Math.max(acknowledged, doneHere));
    }

    /** Null: the broker does not say. */
    private @Nullable Map<MessageQueue, OffsetWrapper> offsets(String topic, String group) {
        MQClientAPIImpl client = sender.client().orElse(null);
        if (client == null) {
            return null;
        }
        try {
            Map<MessageQueue, OffsetWrapper> offsets = ask(client, topic, group);
            if (failing.remove(topic)) {
                LOG.info("the backlog of {} is known again", topic);
            }
            return offsets;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (MQClientException | MQBrokerException | RemotingException e) {
            if (failing.add(topic)) {
                String reason = e.toString().lines().findFirst().orElseThrow();
                LOG.warn("the backlog of {} is not known: {}", topic, reason);
            }
            return null;
        }
    }

    private static Map<MessageQueue, OffsetWrapper> ask(
            MQClientAPIImpl client, String topic, String group)
            throws InterruptedException, MQClientException, MQBrokerException, RemotingException {
        Map<MessageQueue, OffsetWrapper> offsets = new HashMap<>();
        for (BrokerData broker :
                client.getTopicRouteInfoFromNameServer(topic, TIMEOUT_MS).getBrokerDatas()) {
            String address = broker.selectBrokerAddr();
            for (String one : List.of(topic, MixAll.getRetryTopic(group))) {
                offsets.putAll(
                        client.getConsumeStats(address, group, one, TIMEOUT_MS).getOffsetTable());
            }
        }
        return offsets;
    }

    /** A broker that lost messages may end before the offset; that is none, not less than none. */
    private static long unacknowledged(OffsetWrapper queue) {
        return Math.max(0, queue.getBrokerOffset() - queue.getConsumerOffset());
    }
}
