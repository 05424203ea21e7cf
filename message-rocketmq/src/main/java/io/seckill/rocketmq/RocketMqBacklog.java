package io.seckill.rocketmq;

import io.seckill.common.message.Backlog;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.admin.OffsetWrapper;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Summed over all queues: the broker's end less the group's committed offset, of the topic and of
 * the group's retry topic.
 *
 * <p>A consumer commits every half second and not beyond its oldest message in hand, so the number
 * may be too high, and is not too low: no consumer gives a message back to be delivered later.
 */
final class RocketMqBacklog implements Backlog {

    private static final Logger LOG = LoggerFactory.getLogger(RocketMqBacklog.class);

    private static final int TIMEOUT_MS = 1_000; // of each question, of which there are 3 per topic

    private final RocketMqSender sender;
    private final Set<String> failing = ConcurrentHashMap.newKeySet(); // topics: a handful

    RocketMqBacklog(RocketMqSender sender) {
        this.sender = sender;
    }

    @Override
    public OptionalLong of(String topic, String group) {
        MQClientAPIImpl client = sender.client().orElse(null);
        if (client == null) {
            return OptionalLong.empty();
        }
        try {
            long waiting = count(client, topic, group);
            if (failing.remove(topic)) {
                LOG.info("the backlog of {} is known again", topic);
            }
            return OptionalLong.of(waiting);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalLong.empty();
        } catch (MQClientException | MQBrokerException | RemotingException e) {
            if (failing.add(topic)) {
                String reason = e.toString().lines().findFirst().orElseThrow();
                LOG.warn("the backlog of {} is not known: {}", topic, reason);
            }
            return OptionalLong.empty();
        }
    }

    private static long count(MQClientAPIImpl client, String topic, String group)
            throws InterruptedException, MQClientException, MQBrokerException, RemotingException {
        long waiting = 0;
        for (BrokerData broker :
                client.getTopicRouteInfoFromNameServer(topic, TIMEOUT_MS).getBrokerDatas()) {
            String address = broker.selectBrokerAddr();
            waiting += countAt(address, client, topic, group);
            waiting += countAt(address, client, MixAll.getRetryTopic(group), group);
        }
        return waiting;
    }

    /** A broker that lost messages may end before the offset; that is none, not less than none. */
    private static long countAt(String address, MQClientAPIImpl client, String topic, String group)
            throws InterruptedException, MQBrokerException, RemotingException {
        return client
                .getConsumeStats(address, group, topic, TIMEOUT_MS)
                .getOffsetTable()
                .values()
                .stream()
                .mapToLong(RocketMqBacklog::unacknowledged)
                .sum();
    }

    private static long unacknowledged(OffsetWrapper queue) {
        return Math.max(0, queue.getBrokerOffset() - queue.getConsumerOffset());
    }
}
