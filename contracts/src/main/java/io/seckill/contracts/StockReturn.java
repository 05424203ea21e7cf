package io.seckill.contracts;

/**
 * Units that go back to the shard they came from, or are burned there; topic {@code stock_return}.
 *
 * @param epoch that of the shard's ledger when the order became final
 */
public record StockReturn(
        String reservationId,
        String productId,
        String userId,
        int quantity,
        int shard,
        int epoch,
        Action action,
        String cause) {

    public static final String TOPIC = "stock_return";

    /** The consumer group that gives the units back. */
    public static final String GROUP = "stock-service";

    /** BURN: the database ledger is full, so the shard must not sell the unit again. */
    public enum Action {
        RETURN,
        BURN
    }

    public StockReturn {
        Check.that(Ids.isReservation(reservationId), "reservationId", reservationId);
        Check.that(Ids.isProduct(productId), "productId", productId);
        Check.that(Ids.isUser(userId), "userId", userId);
        Check.that(quantity > 0, "quantity", quantity);
        Placement.check(shard, epoch);
        Check.that(action != null, "action", action);
        Check.that(cause != null && !cause.isBlank(), "cause", cause);
    }
}
