package org.apache.rocketmq.planted;

/** Stands for a class of RocketMQ's client. */
public final class Client {}
