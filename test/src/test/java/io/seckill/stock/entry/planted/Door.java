package io.seckill.stock.entry.planted;

/** Inside the entry of a service, which no other room may know. */
public final class Door {}
