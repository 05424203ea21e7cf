/** RocketMQ behind the ports of {@code io.seckill.common.message}: the only code that knows it. */
package io.seckill.rocketmq;
