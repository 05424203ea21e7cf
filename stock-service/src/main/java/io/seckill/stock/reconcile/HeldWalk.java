package io.seckill.stock.reconcile;

import io.seckill.contracts.Json;
import io.seckill.quantity.Books;
import io.seckill.quantity.HeldUnits;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.reconcile.ReconcileMapper.Odd;
import io.seckill.stock.reconcile.ReconcileMapper.Place;
import io.seckill.stock.recovery.Losses;
import io.seckill.stock.recovery.Losses.Loss;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Walks through what shards hold, product by product and shard by shard: each reservation has an
 * order, live or about to come, or its return is on its way. One thread uses it.
 */
@Component
final class HeldWalk {

    /** Shards' parts of sales that are visited in a turn, when they hold little. */
    static final int MAX_VISITS = 64;

    private static final Place FIRST = new Place("", -1, 0, 0, false);

    /** Findings that are remembered, so that what is under way is not repaired twice. */
    private static final int MAX_RECENT = 4_096;

    private final ReconcileMapper mapper;
    private final QuantityStocks shards;
    private final Losses losses;
    private final Repairs repairs;
    private Place last = FIRST; // that was read to its end
    private Place reading = FIRST;
    private String cursor = "0"; // in the one that is being read

    private final Map<String, Long> recent = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_RECENT;
        }
    };

    HeldWalk(ReconcileMapper mapper, QuantityStocks shards, Losses losses, Repairs repairs) {
        this.mapper = mapper;
        this.shards = shards;
        this.losses = losses;
        this.repairs = repairs;
    }

    /**
     * Goes on where the last turn stopped, until it has looked at a page of reservations or has come
     * to the end of a round. A shard that is away is asked once: its turn comes again.
     */
    void turn(long beforeMs, long nowMs) {
        List<Place> ahead = mapper.places(last.productId(), last.shard(), MAX_VISITS);
        Set<Integer> away = new HashSet<>();
        int looked = 0;
        for (Place place : ahead) {
            looked += visit(place, away, beforeMs, nowMs);
            if (!cursor.equals("0")) {
                return;
            }
            last = place;
            if (looked >= Reconciler.PAGE) {
                return;
            }
        }
        if (ahead.size() < MAX_VISITS) {
            last = FIRST;
        }
    }

    /** How many reservations were looked at; the cursor is "0" when that is all for this round. */
    private int visit(Place place, Set<Integer> away, long beforeMs, long nowMs) {
        String from = place.isSame(reading) ? cursor : "0";
        reading = place;
        cursor = "0";
        if (place.shard() >= shards.all().size() || away.contains(place.shard())) {
            return 0;
        }
        try {
            return visit(place, from, shards.get(place.shard()), beforeMs, nowMs);
        } catch (ShardDownException | ShardUnknownException e) {
            away.add(place.shard());
            return 0;
        }
    }

    private int visit(Place place, String from, QuantityStock shard, long beforeMs, long nowMs) {
        Optional<HeldUnits.Page> read = new HeldUnits(shard)
                .page(place.productId(), from, Reconciler.PAGE, beforeMs)
                .filter(page -> page.epoch() == place.epoch());
        if (read.isEmpty()) {
            return 0;
        }
        HeldUnits.Page page = read.get();
        if (page.init() != place.allocated()) {
            judgeUnits(place, page.init(), shard);
        }
        if (!page.ids().isEmpty()) {
            judge(place, mapper.odd(place, Json.write(page.ids())), shard, nowMs);
        }
        cursor = page.next();
        return page.looked();
    }

    /** Not while units come or go; and whoever changed them in between changed one of both. */
    private void judgeUnits(Place place, long init, QuantityStock shard) {
        boolean isSteady = !place.isChanging() && mapper.place(place).equals(Optional.of(place));
        if (isSteady
                && shard.count(place.productId())
                        .filter(now -> now.init() == init)
                        .isPresent()) {
            losses.found("units_differ", new Loss(place.productId(), place.shard(), place.epoch()));
        }
    }

    private void judge(Place place, List<Odd> found, QuantityStock shard, long nowMs) {
        List<Odd> odds = found.stream()
                .filter(odd -> odd.endedAtMs() == null || isOverdue(odd, nowMs))
                .filter(odd -> !isRecent(odd.reservationId(), nowMs))
                .toList();
        tellAgain(
                place,
                odds.stream()
                        .filter(odd -> odd.orderSn() == null)
                        .map(Odd::reservationId)
                        .toList(),
                new HeldUnits(shard));
        for (Odd odd : odds) {
            if (isOverdue(odd, nowMs) && isStillHeld(place, odd, shard)) {
                judgeEnded(place, odd, nowMs);
            }
        }
    }

    /** The outbox is read once for all of them: while the broker is away they all wait in it. */
    private void tellAgain(Place place, List<String> missing, HeldUnits held) {
        if (missing.isEmpty()) {
            return;
        }
        held.waiting(place.productId())
                .ifPresent(waiting -> missing.stream()
                        .filter(id -> !waiting.contains(id))
                        .filter(id -> held.tellAgain(place.productId(), place.epoch(), id))
                        .forEach(id -> repairs.repaired(
                                "order_missing", place.productId(), place.shard(), id)));
    }

    private void judgeEnded(Place place, Odd odd, long nowMs) {
        if (odd.isOwed()) {
            giveBackAgain(place, odd, nowMs);
        } else {
            repairs.unexplained("held_for_no_order", place.shard(), odd.toString());
        }
    }

    private static boolean isOverdue(Odd odd, long nowMs) {
        Long endedAtMs = odd.endedAtMs();
        return endedAtMs != null && endedAtMs < nowMs - Reconciler.SETTLED_MS;
    }

    /** Read after the row: what the row calls done must be done by now. */
    private static boolean isStillHeld(Place place, Odd odd, QuantityStock shard) {
        return shard.reservation(place.productId(), odd.reservationId())
                .filter(kept -> kept.state() == Books.State.R)
                .isPresent();
    }

    private void giveBackAgain(Place place, Odd odd, long nowMs) {
        if (odd.outcome() == null) {
            if (mapper.owe(odd.reservationId(), nowMs)) {
                repairs.repaired(
                        "return_missing", place.productId(), place.shard(), odd.reservationId());
            }
        } else if (mapper.again(odd.reservationId(), nowMs)) {
            repairs.repaired("return_undone", place.productId(), place.shard(), odd.toString());
        }
    }

    /** What was found a moment ago is not found again before its repair can have worked. */
    private boolean isRecent(String reservationId, long nowMs) {
        Long foundAtMs = recent.get(reservationId);
        if (foundAtMs != null && nowMs - foundAtMs < Reconciler.SETTLED_MS) {
            return true;
        }
        recent.put(reservationId, nowMs);
        return false;
    }
}
