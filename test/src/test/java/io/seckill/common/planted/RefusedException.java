package io.seckill.common.planted;

/** Stands for the exception that ends a request with a refusal. */
public final class RefusedException extends RuntimeException {}
