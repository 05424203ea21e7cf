package io.seckill.stock.recovery;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.Placement;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityRecovery.Held;
import io.seckill.quantity.QuantityRecovery.Rebuilt;
import io.seckill.shard.Ring;
import io.seckill.stock.recovery.RecoveryMapper.Holder;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.springframework.stereotype.Component;

/**
 * Builds a shard's part of a product anew from its live orders: what they hold is held, the rest is
 * for sale. The counters come last, so that nothing sells from half of it.
 */
@Component
final class Rebuild {

    private static final int PAGE = 500; // reservations; takes the shard about two milliseconds

    private final RecoveryMapper mapper;
    private final SaleMapper sales;

    Rebuild(RecoveryMapper mapper, SaleMapper sales) {
        this.mapper = mapper;
        this.sales = sales;
    }

    /**
     * How many reservations it has now; -1: another recovery or another Redis came between.
     *
     * @param progress is told after each page of how many units the shard has the holders
     */
    long run(QuantityRecovery shard, Part part, String identity, int epoch, LongConsumer progress) {
        String product = part.productId();
        if (!shard.begin(product, identity, epoch)) {
            return -1;
        }
        CrashPoint.REBUILD_BEGUN.reached(product);
        List<Placement> ring = sales.find(product).map(Sale::placements).orElse(List.of());
        long kept = 0;
        long units = 0;
        boolean mayHaveGuests = false;
        CompletableFuture<Boolean> sent = CompletableFuture.completedFuture(true);
        String after = "";
        List<Holder> page;
        do {
            page = mapper.holders(part, epoch, after, PAGE);
            for (Holder holder : page) {
                kept++;
                units += holder.quantity();
                mayHaveGuests |= !isHome(holder.userId(), part.shard(), ring);
                after = holder.orderSn();
            }
            if (!sent.join()) {
                return -1;
            }
            progress.accept(units);
            if (!page.isEmpty()) {
                sent = shard.pageAsync(product, identity, epoch, held(page));
                CrashPoint.REBUILD_PAGE_SENT.reached(product);
            }
        } while (page.size() == PAGE);
        if (!sent.join()) {
            return -1;
        }
        Rebuilt rebuilt = new Rebuilt(kept, part.allocated(), units, mayHaveGuests);
        return end(shard, part, identity, epoch, rebuilt) ? kept : -1;
    }

    /** Writes the counters, once all is in that the ledger says is sold. */
    private static boolean end(
            QuantityRecovery shard, Part part, String identity, int epoch, Rebuilt rebuilt) {
        if (rebuilt.held() != part.sold()) {
            throw new IllegalStateException(part.sold() + " units are sold, but its orders hold "
                    + rebuilt.held() + "; see the audit");
        }
        CrashPoint.REBUILD_FILLED.reached(part.productId());
        if (!shard.end(part.productId(), identity, epoch, rebuilt)) {
            return false;
        }
        CrashPoint.REBUILD_ENDED.reached(part.productId());
        return true;
    }

    private static boolean isHome(String userId, int shard, List<Placement> ring) {
        return !ring.isEmpty() && ring.get(Ring.home(userId, ring.size())).shard() == shard;
    }

    private static List<Held> held(List<Holder> page) {
        return page.stream()
                .map(holder -> new Held(
                        holder.reservationId(),
                        new Kept(
                                State.R,
                                holder.userId(),
                                holder.quantity(),
                                holder.reservedAtMs(),
                                holder.epoch(),
                                holder.seq())))
                .toList();
    }
}
