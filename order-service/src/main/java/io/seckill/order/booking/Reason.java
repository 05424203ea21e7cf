package io.seckill.order.booking;

import io.seckill.contracts.StockReturn.Action;

/** Why an order is not, or no longer, live; and what becomes of its units. */
public enum Reason {
    /** The shard sold more than it was given, so its unit must not be sold again. */
    LEDGER_FULL(Action.BURN),
    /** The user holds a live order of this product. */
    DUPLICATE_USER(Action.RETURN),
    /** It has waited too long, and so would those behind it. */
    BACKLOG(Action.RETURN),
    /** The database takes no such order. */
    INVALID(Action.RETURN),
    /** Nobody paid in time. */
    PAY_TIMEOUT(Action.RETURN);

    private final Action action;

    Reason(Action action) {
        this.action = action;
    }

    Action action() {
        return action;
    }
}
