package io.seckill.order.booking;

import io.seckill.contracts.StockReturn.Action;

import org.jspecify.annotations.Nullable;

/** Why an order is not, or no longer, live; and what becomes of its units (null: nothing). */
public enum Reason {
    /** The shard sold more than it was given, so its unit must not be sold again. */
    LEDGER_FULL(Action.BURN),
    /** The shard lost its unit, which was counted when the shard was rebuilt. */
    LOST(null),
    /** The user holds a live order of this product. */
    DUPLICATE_USER(Action.RETURN),
    /** It has waited too long, and so would those behind it. */
    BACKLOG(Action.RETURN),
    /** It asks for more than a user may have, the database takes no such order, or it failed too often. */
    INVALID(Action.RETURN),
    /** Its user has let as many orders of the sale expire unpaid as one may. */
    LEFT_UNPAID(Action.RETURN),
    /** Nobody paid in time. */
    PAY_TIMEOUT(Action.RETURN);

    private final @Nullable Action action;

    Reason(@Nullable Action action) {
        this.action = action;
    }

    @Nullable
    Action action() {
        return action;
    }
}
