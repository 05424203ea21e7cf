package io.seckill.order.planted;

import org.apache.rocketmq.planted.Client;

/** Breaks the rule that only the adapter knows RocketMQ. */
public final class SendsByRocketMq {
    Client client = new Client();
}
