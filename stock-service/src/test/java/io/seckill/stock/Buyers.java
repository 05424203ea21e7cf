package io.seckill.stock;

import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Takes units as flash-sale-service does, and writes orders and returns as order-service does. */
public final class Buyers {

    private static final AtomicInteger IDS = new AtomicInteger();
    private static final int TRIES = 50;
    private static final long PAUSE_NS = 50_000_000;

    private final Stock stock;
    private final String productId;

    public Buyers(Stock stock, String productId) {
        this.stock = stock;
        this.productId = productId;
    }

    /** Takes units of a shard; the reservation's id. */
    public String take(int shard, String user, int quantity) {
        String id = newId();
        Reserve wish = new Reserve(
                id, productId, user, quantity, false, System.currentTimeMillis() + 10_000);
        ReserveOutcome outcome = surely(stock.bean(QuantityStocks.class).get(shard), wish);
        if (outcome.word() != ReserveOutcome.Word.TAKEN) {
            throw new AssertionError(outcome);
        }
        return id;
    }

    /**
     * A busy machine may be slower than a shard's time-out, which leaves the shard out for a moment;
     * the same id again is the same wish.
     */
    private static ReserveOutcome surely(QuantityStock shard, Reserve wish) {
        for (int tries = 1; ; tries++) {
            try {
                return shard.reserve(wish);
            } catch (ShardUnknownException | ShardDownException e) {
                if (tries == TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    public static String newId() {
        return "%032x".formatted(IDS.incrementAndGet());
    }

    /** Takes units and writes their live order and ledger. */
    public String buy(int shard, String user, int quantity) {
        String id = take(shard, user, quantity);
        order(id, shard, user, quantity);
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET sold = sold + ? WHERE product_id = ? "
                                + "AND shard = ?",
                        quantity,
                        productId,
                        shard);
        return id;
    }

    public void order(String id, int shard, String user, int quantity) {
        stock.sql()
                .update(
                        "INSERT INTO orders (order_sn, reservation_id, product_id, user_id, "
                                + "shard, epoch, seq, quantity, price_cents, status, reserved_at_ms, "
                                + "created_at_ms, pay_by_ms) "
                                + "VALUES (?, ?, ?, ?, ?, 1, 1, ?, 0, 'UNPAID', 1, 1, 1)",
                        orderSn(id),
                        id,
                        productId,
                        user,
                        shard,
                        quantity);
    }

    /** Begins with the time it is made, as order-service's do. */
    private static String orderSn(String id) {
        return "%d%011d"
                .formatted(System.currentTimeMillis(), Long.parseLong(id.substring(21), 16));
    }

    /** Closes an order, as order-service does before it sends the return. */
    public void cancel(String id, int shard, int quantity) {
        end(id);
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET sold = sold - ? WHERE product_id = ? "
                                + "AND shard = ?",
                        quantity,
                        productId,
                        shard);
    }

    /** Closes an order alone: its ledger was of no use, or is not looked at. */
    public void end(String id) {
        stock.sql()
                .update(
                        "UPDATE orders SET status = 'CANCELLED', reason = 'PAY_TIMEOUT',"
                                + " final_epoch = 1, closed_at_ms = ? WHERE reservation_id = ?",
                        System.currentTimeMillis(),
                        id);
    }

    /** Rejects a reservation that its shard lost, as order-service does. */
    public void lose(int shard, String user) {
        String id = newId();
        order(id, shard, user, 1);
        stock.sql()
                .update(
                        "UPDATE orders SET status = 'REJECTED', reason = 'LOST', final_epoch = 2"
                                + " WHERE reservation_id = ?",
                        id);
    }

    public Reservation reservation(String id, int shard, String user) {
        return new Reservation(id, productId, user, 1, shard, 1, 1, 1);
    }

    public StockReturn giveBack(String id, int shard, String user, Action action) {
        return new StockReturn(id, productId, user, 1, shard, 1, action, "CANCELLED");
    }

    public String message(String id, int shard, String user, Action action) {
        return Json.write(giveBack(id, shard, user, action));
    }
}
