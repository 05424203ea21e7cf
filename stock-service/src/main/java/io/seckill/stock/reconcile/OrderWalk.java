package io.seckill.stock.reconcile;

import static java.util.stream.Collectors.groupingBy;

import io.seckill.quantity.HeldUnits;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.reconcile.ReconcileMapper.Compared;
import io.seckill.stock.recovery.Losses;
import io.seckill.stock.recovery.Losses.Loss;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Walks through all orders by their numbers: a live one holds its units in its shard, one that
 * ended has its return. One thread uses it.
 */
@Component
final class OrderWalk {

    private final ReconcileMapper mapper;
    private final QuantityStocks shards;
    private final Losses losses;
    private final Repairs repairs;
    private String after = "";

    OrderWalk(ReconcileMapper mapper, QuantityStocks shards, Losses losses, Repairs repairs) {
        this.mapper = mapper;
        this.shards = shards;
        this.losses = losses;
        this.repairs = repairs;
    }

    /** The next page; after the last begins again. */
    void turn(long nowMs) {
        List<Compared> page = mapper.orders(after, Reconciler.PAGE);
        page.stream()
                .filter(order ->
                        order.isOwed() && order.endedAtMs() < nowMs - Reconciler.SETTLED_MS)
                .filter(order -> mapper.owe(order.reservationId(), nowMs))
                .forEach(order -> repairs.repaired(
                        "return_missing", order.productId(), order.shard(), order.reservationId()));
        page.stream()
                .filter(order -> order.isLive()
                        && order.isOpen()
                        && order.shard() < shards.all().size())
                .collect(groupingBy(
                        order -> new Loss(order.productId(), order.shard(), order.epoch())))
                .forEach(this::judge);
        after = page.size() < Reconciler.PAGE ? "" : page.get(page.size() - 1).orderSn();
    }

    /**
     * The shard is read, then the orders again, then the shard again: an order that ended in
     * between is not live any more, and a rebuild in between is another epoch.
     */
    private void judge(Loss loss, List<Compared> live) {
        HeldUnits held = new HeldUnits(shards.get(loss.shard()));
        try {
            List<String> unheld = unheld(
                    held, loss, live.stream().map(Compared::reservationId).toList());
            List<String> still = unheld.isEmpty() ? unheld : new ArrayList<>(mapper.live(unheld));
            if (!unheld(held, loss, still).isEmpty()) {
                losses.found("order_unheld", loss);
            }
        } catch (ShardDownException | ShardUnknownException e) {
            // Its turn comes again.
        }
    }

    private static List<String> unheld(HeldUnits held, Loss where, List<String> ids) {
        return ids.isEmpty()
                ? ids
                : held.unheld(where.productId(), where.epoch(), ids).orElse(List.of());
    }
}
