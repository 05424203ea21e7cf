package io.seckill.stock.parked;

/**
 * A message of which a service could make nothing.
 *
 * @param service whose it was
 * @param messageId the broker's, or the reservation's where the message could be read
 * @param reason why it was parked, perhaps cut off
 */
public record ParkedMessage(
        long id,
        String service,
        String topic,
        String messageId,
        String body,
        String reason,
        long parkedAtMs) {}
