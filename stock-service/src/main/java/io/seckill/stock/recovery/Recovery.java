package io.seckill.stock.recovery;

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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
    private static final int MOST_AHEAD = 1_000_000; // epochs; rebuild_begin.lua has it too

    private final RecoveryMapper mapper;
    private final Rebuild rebuild;
    private final RecoveryLock lock;
    private final Drain drain;
    private final Closures closures;
    private final TransactionTemplate transaction;
    private final List<QuantityRecovery> shards;
    private final Counters counters;
    private final Clock clock;
    private final Retries retries = new Retries(System::nanoTime);
    private final Map<String, Map<String, String>> said = new HashMap<>(); // by part and kind

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

    /** The background turn. A shard that is away is left for the next one. */
    public void turn() {
        List<Found> all = look();
        List<Found> closed = all.stream().filter(Found::isClosed).toList();
        closures.found(all);
        Set<Part> parts = closed.stream().map(Found::part).collect(toSet());
        drain.keepOnly(parts);
        List<String> names = parts.stream().map(Part::toString).toList();
        said.keySet().retainAll(names);
        retries.keepOnly(names);
        List<Found> due =
                closed.stream().filter(found -> retries.isDue(found.part())).toList();
        if (!due.isEmpty() && !lock.whileMine(() -> recover(due))) {
            closures.turn(false);
        }
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
                .handle((state, failure) -> failure == null
                        ? new Found(part, state, "")
                        : new Found(part, null, message(failure)));
    }

    /** One that fails does not keep the next from its turn, but for a shard that is away. */
    private void recover(List<Found> closed) {
        closures.turn(true);
        closed.stream()
                .map(found -> found.part().shard())
                .distinct()
                .forEach(shard -> shards.get(shard).renew());
        Set<Integer> away = new HashSet<>();
        for (Found found : closed) {
            Part part = found.part();
            try {
                if (!away.contains(part.shard())) {
                    recoverAsItIsNow(part, found.why());
                    retries.worked(part);
                }
            } catch (ShardDownException | ShardUnknownException e) {
                away.add(part.shard());
                fails(part, e);
            } catch (RuntimeException e) {
                retries.failed(part);
                fails(part, e);
            }
        }
    }

    /** It stays closed and is tried again; said once, until it is something else. */
    private void fails(Part part, RuntimeException why) {
        closures.doing(part, "cannot be taken back, is tried again: " + message(why));
        say("failure", part, "cannot be taken back, is tried again: " + message(why));
    }

    /** Once, until it is something else. */
    private void say(String kind, Part part, String what) {
        Map<String, String> ofPart =
                said.computeIfAbsent(part.toString(), first -> new HashMap<>());
        if (!what.equals(ofPart.put(kind, what))) {
            LOG.warn("{}: {}", part, what);
        }
    }

    private static String message(Throwable failure) {
        Throwable cause = failure.getCause();
        Throwable own = failure instanceof CompletionException && cause != null ? cause : failure;
        return own.getMessage() == null ? own.toString() : own.getMessage();
    }

    /**
     * Another instance, or another start of the shard, may have come since it was looked at. Closed
     * first: what is sold or returned from here on would be undone, and a shard that takes no
     * write at present must not be decided on.
     */
    private void recoverAsItIsNow(Part seen, String why) {
        QuantityRecovery shard = shards.get(seen.shard());
        if (!seen.isOpen(shard.state(seen.productId()))) {
            shard.close(seen.productId());
            say("closed", seen, "closed, epoch " + seen.epoch() + ": " + why);
            CrashPoint.RECOVERY_CLOSED.reached(seen.productId());
            recover(seen, shard.state(seen.productId()));
        }
    }

    private void recover(Part seen, ShardState found) {
        boolean isLost = seen.objection(found, () -> returned(seen, found)).isPresent();
        if (isLost && !drain.isOver(seen, found)) {
            String waits = "waits until what it handed over has become orders, " + drain;
            closures.doing(seen, waits);
            say("drain", seen, waits);
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
                closures.opened(decided.part(), decided.epoch());
                counters.count(isLost ? "seckill_rebuilt_total" : "seckill_opened_total");
            } else {
                closures.waits(decided.part());
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
            long live = loss.isPresent() ? mapper.liveUnits(part) : part.sold();
            if (live != part.sold()) {
                throw new IllegalStateException(
                        part.sold() + " units are sold, but its live orders are of " + live
                                + "; nothing is touched until they agree, see the audit");
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
        int latest = Math.max(believed(part, inShard), believed(part, found.building()));
        return Math.max(part.epoch(), latest) + 1;
    }

    /** No recovery was ever that far ahead: who followed such a number would be out of them. */
    private static int believed(Part part, int inShard) {
        return inShard - part.epoch() > MOST_AHEAD ? 0 : inShard;
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
        long startMs = clock.millis();
        long kept = rebuild.run(shard, part, found.identity(), epoch, units -> {
            long tookMs = clock.millis() - startMs;
            closures.remains(part, tookMs * (part.sold() - units) / Math.max(1, units));
        });
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
