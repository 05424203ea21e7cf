package io.seckill.stock.recovery;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.common.Counters;
import io.seckill.common.CrashPoint;
import io.seckill.common.message.Backlog;
import io.seckill.contracts.Placement.State;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ShardState;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.StockProperties;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Takes shards back. A Redis that was started, restored or promoted is closed by its own scripts
 * (reserve.lua); this compares its part of each product with the books and opens it, as it is when
 * it has lost nothing that anybody knows of, rebuilt from its live orders when it has.
 *
 * <p>Every opening is a new epoch, and its row says up to which seq earlier reservations kept their
 * units: that decides, in order-service, what a late message still becomes. The decision is one
 * transaction under the lock of the ledger row, so no order is written between it and what it
 * read. Everything after it names the epoch and the Redis that was read, and does nothing for a
 * later one: a crash anywhere, a second instance, or a shard that restarts again meanwhile, is
 * followed by a recovery with the next epoch. The gate opens last.
 */
@Component
public final class Recovery {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    private static final int PAGE = 256; // questions under way at once
    private static final String UNVERIFIED = "it is another Redis, not yet compared with the books";

    private final RecoveryMapper mapper;
    private final Rebuild rebuild;
    private final RecoveryLock lock;
    private final Drain drain;
    private final Closures closures;
    private final TransactionTemplate transaction;
    private final List<QuantityRecovery> shards;
    private final Counters counters;
    private final Clock clock;

    Recovery(
            RecoveryMapper mapper,
            Rebuild rebuild,
            RecoveryLock lock,
            Backlog backlog,
            TransactionTemplate transaction,
            QuantityStocks shards,
            Closures closures,
            StockProperties properties,
            Counters counters,
            Clock clock) {
        this.mapper = mapper;
        this.rebuild = rebuild;
        this.lock = lock;
        this.transaction = transaction;
        this.closures = closures;
        this.counters = counters;
        this.clock = clock;
        drain = new Drain(backlog, properties.recoveryDrain(), clock);
        this.shards = shards.all().stream()
                .map(stock -> new QuantityRecovery(stock.shard()))
                .toList();
    }

    /** A part of a sale and what its shard answered; null: nothing. */
    private record Found(Part part, @Nullable ShardState state) {

        boolean isClosed() {
            return state != null && !part.isOpen(state);
        }

        /** Without the returns, which only the one who recovers counts. */
        String why() {
            return state == null ? "" : part.objection(state, () -> 0).orElse(UNVERIFIED);
        }
    }

    /** The background turn. A shard that is away is left for the next one. */
    public void turn() {
        List<Found> all = look();
        List<Found> closed = all.stream().filter(Found::isClosed).toList();
        show(all, closed);
        drain.keepOnly(closed.stream().map(Found::part).collect(toSet()));
        if (!closed.isEmpty()) {
            lock.whileMine(() -> recover(closed));
        }
    }

    private void show(List<Found> all, List<Found> closed) {
        closures.found(
                all.stream()
                        .collect(toMap(found -> found.part().shard(), found -> 1, Integer::sum)),
                all.stream()
                        .filter(found -> found.state() == null)
                        .map(found -> found.part().shard())
                        .collect(toSet()),
                closed.stream().collect(toMap(Found::part, Found::why)));
    }

    private List<Found> look() {
        List<Part> parts = mapper.parts().stream()
                .filter(part -> part.shard() < shards.size())
                .toList();
        List<Found> found = new ArrayList<>();
        for (int from = 0; from < parts.size(); from += PAGE) {
            List<CompletableFuture<Found>> asked =
                    parts.subList(from, Math.min(parts.size(), from + PAGE)).stream()
                            .map(this::ask)
                            .toList();
            asked.forEach(answer -> found.add(answer.join()));
        }
        return found;
    }

    private CompletableFuture<Found> ask(Part part) {
        return shards.get(part.shard())
                .stateAsync(part.productId())
                .handle((state, failure) -> new Found(part, failure == null ? state : null));
    }

    /** One that fails does not keep the next from its turn, but for a shard that is away. */
    private void recover(List<Found> closed) {
        Set<Integer> away = new HashSet<>();
        RuntimeException failure = null;
        for (Found found : closed) {
            try {
                if (!away.contains(found.part().shard())) {
                    recoverAsItIsNow(found.part());
                }
            } catch (ShardDownException | ShardUnknownException e) {
                away.add(found.part().shard());
                LOG.info("{}: recovery waits: {}", found.part(), e.getMessage());
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Another instance, or another start of the shard, may have come since it was looked at. Closed
     * first: what is sold or returned from here on would be undone, and a shard that takes no
     * write at present must not be decided on.
     */
    private void recoverAsItIsNow(Part seen) {
        QuantityRecovery shard = shards.get(seen.shard());
        if (!seen.isOpen(shard.state(seen.productId()))) {
            shard.close(seen.productId());
            CrashPoint.RECOVERY_CLOSED.reached(seen.productId());
            recover(seen, shard.state(seen.productId()));
        }
    }

    private void recover(Part seen, ShardState found) {
        boolean isLost = seen.objection(found, () -> returned(seen, found)).isPresent();
        if (isLost && !drain.isOver(seen, found)) {
            closures.doing(seen, "waits until what it handed over has become orders, " + drain);
            CrashPoint.RECOVERY_DRAINING.reached(seen.productId());
            return;
        }
        Optional<Decision> decision = transaction.execute(status -> decide(seen, found));
        decision.ifPresent(decided -> carryOut(decided, found));
    }

    private void carryOut(Decision decided, ShardState found) {
        CrashPoint.RECOVERY_DECIDED.reached(decided.part().productId());
        boolean isLost = decided.loss().isPresent();
        boolean done = false;
        try {
            done = isLost ? rebuild(decided, found) : open(decided, found);
        } finally {
            counters.count("seckill_recoveries_total");
            if (done) {
                closures.opened(decided.part());
                counters.count(isLost ? "seckill_rebuilt_total" : "seckill_opened_total");
            } else {
                counters.count("seckill_recoveries_broken_off_total");
                LOG.warn("{}: changed while it was taken back; done again", decided.part());
            }
        }
    }

    private long returned(Part part, ShardState found) {
        return mapper.returned(part, found.rebuilt());
    }

    /**
     * What was decided, under the lock of its ledger row.
     *
     * @param loss why it is rebuilt; empty: it goes on as it was found
     */
    private record Decision(Part part, int epoch, Optional<String> loss) {}

    private Optional<Decision> decide(Part seen, ShardState found) {
        return mapper.lock(seen).filter(part -> part.epoch() == seen.epoch()).map(part -> {
            Optional<String> loss = part.objection(found, () -> returned(part, found));
            if (loss.isPresent() && mapper.liveUnits(part) != part.sold()) {
                throw new IllegalStateException(part + ": " + part.sold()
                        + " units are sold, but its live orders are others; see the audit");
            }
            int epoch = nextEpoch(part, found);
            long keptSeq = loss.isPresent() ? -1 : found.stock().orElseThrow().seq();
            mapper.begin(part, epoch, loss.isPresent() ? "RECOVERING" : "OPEN");
            mapper.insertOpening(part, epoch, keptSeq, clock.millis());
            CrashPoint.RECOVERY_DECIDING.reached(part.productId());
            return new Decision(part, epoch, loss);
        });
    }

    /** Later than any the shard has seen: what it took over from a hand may be ahead. */
    private static int nextEpoch(Part part, ShardState found) {
        int inShard = found.stock().map(stock -> stock.epoch()).orElse(0);
        return Math.max(part.epoch(), Math.max(inShard, found.building())) + 1;
    }

    private boolean open(Decision decided, ShardState found) {
        Part part = decided.part();
        if (!openGate(decided, found)) {
            return false;
        }
        CrashPoint.RECOVERY_GATE_OPEN.reached(part.productId());
        LOG.info("{}: another Redis has all it should; open, epoch {}", part, decided.epoch());
        return true;
    }

    private boolean rebuild(Decision decided, ShardState found) {
        Part part = decided.part();
        int epoch = decided.epoch();
        LOG.warn("{}: {}; rebuilding, epoch {}", part, decided.loss().orElseThrow(), epoch);
        QuantityRecovery shard = shards.get(part.shard());
        closures.doing(part, "is rebuilt from orders of " + part.sold() + " units");
        long kept = rebuild.run(shard, part, found.identity(), epoch);
        if (kept < 0 || !mapper.open(part, epoch)) {
            return false;
        }
        CrashPoint.REBUILD_LEDGER_OPEN.reached(part.productId());
        ShardState built = shard.state(part.productId());
        boolean isMine = built.identity().equals(found.identity())
                && built.stock().filter(stock -> stock.epoch() == epoch).isPresent();
        if (!isMine || !openGate(decided, built)) {
            return false; // whoever came between may have opened it in a later epoch
        }
        CrashPoint.REBUILD_GATE_OPEN.reached(part.productId());
        LOG.warn(
                "{}: rebuilt from {} live orders of {} units; {} units are for sale, epoch {}",
                part,
                kept,
                part.sold(),
                part.allocated() - part.sold(),
                epoch);
        return true;
    }

    /**
     * Under the lock of its ledger row: who gives the shard up meanwhile waits for the gate, and
     * closes it afterwards.
     */
    private boolean openGate(Decision decided, ShardState found) {
        Part part = decided.part();
        return Boolean.TRUE.equals(transaction.execute(status -> mapper.lock(part)
                .filter(now -> now.epoch() == decided.epoch() && now.state() == State.OPEN)
                .filter(now ->
                        shards.get(part.shard()).open(part.productId(), found, decided.epoch()))
                .isPresent()));
    }
}
