package io.seckill.order.query;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.seckill.order.booking.Order;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order as its buyer sees it. Absent where there is none: the name of its sale, reason, paidAt,
 * refundedAt.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OrderView(
        String orderSn,
        String productId,
        @Nullable String name,
        int quantity,
        long amountCents,
        Order.Status status,
        @Nullable String reason,
        Instant createdAt,
        Instant payBy,
        @Nullable Instant paidAt,
        @Nullable Instant refundedAt) {

    /** The row behind it: orders with the name of the sale and the time of the payment. */
    record Row(
            String orderSn,
            String productId,
            @Nullable String name,
            int quantity,
            long amountCents,
            Order.Status status,
            @Nullable String reason,
            long createdAtMs,
            long payByMs,
            @Nullable Long paidAtMs,
            @Nullable Long refundedAtMs) {

        Place place() {
            return new Place(createdAtMs, orderSn);
        }

        OrderView view() {
            return new OrderView(
                    orderSn,
                    productId,
                    name,
                    quantity,
                    amountCents,
                    status,
                    reason,
                    Instant.ofEpochMilli(createdAtMs),
                    Instant.ofEpochMilli(payByMs),
                    instant(paidAtMs),
                    instant(refundedAtMs));
        }

        private static @Nullable Instant instant(@Nullable Long ms) {
            return ms == null ? null : Instant.ofEpochMilli(ms);
        }
    }
}
