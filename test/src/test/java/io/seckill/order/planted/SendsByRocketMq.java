package io.seckill.order.planted;

import org.apache.rocketmq.planted.Client;

/** Breaks: a service knows RocketMQ. */
final class SendsByRocketMq {

    final Client client = new Client();
}
