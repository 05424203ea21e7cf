package org.apache.rocketmq.planted;

/** Stands for any class of RocketMQ's client. */
public final class Client {}
