package io.seckill.common.mq;

import java.util.OptionalLong;
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
 * How many messages of a topic wait in RocketMQ: those a consumer group has not acknowledged.
 *
 * <p>Summed over all queues: the broker's end less the group's committed offset, of the topic and
 * of the group's retry topic. A consumer commits every 5 s and not beyond its oldest message in
 * hand, so the number may be too high, and is not too low but for what a consumer gave back to be
 * delivered later: the broker shows that when its time has come.
 */
public final class Backlog {

    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

    private static final int TIMEOUT_MS = 1_000; // of each question, of which there are 3 per topic

    private final MessageSender sender;
    private volatile boolean failing;

    /** Asks through the sender's connections; the sender must have been started. */
    public Backlog(MessageSender sender) {
        this.sender = sender;
    }

    /** Empty when the name server or a broker does not say; never fails. */
    public OptionalLong of(String topic, String group) {
        try {
            long waiting = count(topic, group);
            if (failing) {
                LOG.info("the backlog of {} is known again", topic);
                failing = false;
            }
            return OptionalLong.of(waiting);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalLong.empty();
        } catch (MQClientException | MQBrokerException | RemotingException e) {
            if (!failing) {
                LOG.warn("the backlog of {} is not known: {}", topic, e.toString());
                failing = true;
            }
            return OptionalLong.empty();
        }
    }

    private long count(String topic, String group)
            throws InterruptedException, MQClientException, MQBrokerException, RemotingException {
        MQClientAPIImpl client = sender.client();
        long waiting = 0;
        for (BrokerData broker :
                client.getTopicRouteInfoFromNameServer(topic, TIMEOUT_MS).getBrokerDatas()) {
            String address = broker.selectBrokerAddr();
            waiting += count(client, address, topic, group);
            waiting += count(client, address, MixAll.getRetryTopic(group), group);
        }
        return waiting;
    }

    /** A broker that lost messages may end before the offset; that is none, not less than none. */
    private static long count(MQClientAPIImpl client, String address, String topic, String group)
            throws InterruptedException, MQBrokerException, RemotingException {
        return client
                .getConsumeStats(address, group, topic, TIMEOUT_MS)
                .getOffsetTable()
                .values()
                .stream()
                .mapToLong(Backlog::unacknowledged)
                .sum();
    }

    private static long unacknowledged(OffsetWrapper queue) {
        return Math.max(0, queue.getBrokerOffset() - queue.getConsumerOffset());
    }
}
