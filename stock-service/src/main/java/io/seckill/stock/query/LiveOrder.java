package io.seckill.stock.query;

/** An order that is unpaid or paid: it holds units. */
record LiveOrder(String reservationId, String userId, int shard, int quantity) {}
