package io.seckill.common.message;

/** A message, and since when the broker has it, by the broker's clock. */
public record Waiting<T>(T message, long sinceMs) {}
