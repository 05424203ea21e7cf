package io.seckill.stock.returns;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.common.Counters;
import io.seckill.common.CrashPoint;
import io.seckill.contracts.Json;
import io.seckill.contracts.Placement;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.Ended;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.SoldOutWord;
import io.seckill.stock.recovery.Losses;
import io.seckill.stock.returns.Answer.End;
import io.seckill.stock.returns.ReturnMapper.EndedOrder;
import io.seckill.stock.returns.ReturnMapper.Line;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Gives units back to the shard they came from, each reservation once.
 *
 * <p>The shard's script decides: it knows the reservation and remembers that it gave it back. The
 * row in {@code stock_return} is written after the shard's answer. A crash in between repeats the
 * script, which changes nothing; a duplicate meets the row.
 *
 * <p>A batch goes to its shards in their pipelines and its rows into the database in one statement,
 * sorted by id, so that two batches with the same ids wait for each other in one order.
 *
 * <p>With a return goes what its order's row says of how it ended, for the buyer who asks the shard:
 * the row is older than the message, and true whichever message it is; of somebody else's order
 * nobody is told.
 *
 * <p>A word is final only in the epoch that the ledger has: an old master that still answers gives
 * back what nobody will ever sell.
 *
 * <p>No message waits for a shard, or one dead shard would stop the returns of all. When it is
 * away, gated, or has no final word, the row is WAITING and takes the message's place: {@link
 * #retry} asks again until there is one. Two may ask for the same row at once; the script answers
 * both, and the row keeps the first final word.
 *
 * <p>A return in hand is counted when it has ended; what a failing database cuts off comes again
 * and is counted then.
 */
@Component
public final class ReturnService {

    /**
     * Waiting returns asked for in one round, shared by all who wait: less than a pipeline holds.
     */
    static final int MAX_PER_ROUND = 900;

    private static final Logger LOG = LoggerFactory.getLogger(ReturnService.class);

    private final SaleMapper sales;
    private final ReturnMapper returns;
    private final QuantityStocks shards;
    private final Losses losses;
    private final SoldOutWord word;
    private final Counters counters;
    private final Clock clock;
    private final Set<Integer> waitedFor = ConcurrentHashMap.newKeySet(); // to log once; shards

    ReturnService(
            SaleMapper sales,
            ReturnMapper returns,
            QuantityStocks shards,
            Losses losses,
            SoldOutWord word,
            Counters counters,
            Clock clock) {
        this.sales = sales;
        this.returns = returns;
        this.shards = shards;
        this.losses = losses;
        this.word = word;
        this.counters = counters;
        this.clock = clock;
    }

    /**
     * Each is final, WAITING, dropped or parked afterwards; throws only when the database is
     * away.
     */
    public void settle(List<StockReturn> messages) {
        Map<String, StockReturn> fresh = new TreeMap<>();
        messages.forEach(r -> fresh.putIfAbsent(r.reservationId(), r));
        fresh.keySet().removeAll(returns.known(fresh.keySet()));
        int repeated = messages.size() - fresh.size();
        Function<String, Optional<Sale>> found = lookedUpOnce();
        fresh.values().removeIf(r -> !isOurs(r, found.apply(r.productId())));
        ask("message", fresh.values(), found);
        count("message", End.REPEATED, repeated);
    }

    private Function<String, Optional<Sale>> lookedUpOnce() {
        Map<String, Optional<Sale>> found = new HashMap<>();
        return productId -> found.computeIfAbsent(productId, sales::find);
    }

    /** What no order of ours can have sent is dropped or parked. */
    private boolean isOurs(StockReturn r, Optional<Sale> sale) {
        if (sale.isEmpty() && sales.wasRemoved(r.productId())) {
            count("message", End.DROPPED, 1);
            return false;
        }
        Optional<String> forged = forged(r, sale);
        forged.ifPresent(why -> park(StockReturn.TOPIC, r.reservationId(), Json.write(r), why));
        return forged.isEmpty();
    }

    static Optional<String> forged(StockReturn r, Optional<Sale> sale) {
        if (sale.isEmpty()) {
            return Optional.of("there is no sale of " + r.productId());
        }
        return placement(r, sale).isPresent()
                ? Optional.empty()
                : Optional.of("the sale of " + r.productId() + " has no shard " + r.shard());
    }

    private static Optional<Placement> placement(StockReturn r, Optional<Sale> sale) {
        return sale.stream()
                .flatMap(known -> known.placements().stream())
                .filter(placed -> placed.shard() == r.shard())
                .findAny();
    }

    /** One round over what waits; true when a line has settled its fill and may have more. */
    public boolean retry() {
        List<Line> lines = returns.lines();
        forget(lines.stream().map(Line::shard).collect(toSet()));
        int most = MAX_PER_ROUND / Math.max(1, lines.size()) + 1;
        List<StockReturn> asked = new ArrayList<>();
        boolean full = false;
        for (Line line : lines) {
            List<StockReturn> waiting = returns.waiting(line, most);
            full |= waiting.size() == most;
            asked.addAll(waiting);
        }
        List<Answer> answers = ask("row", asked, lookedUpOnce());
        return full && answers.stream().anyMatch(answer -> answer.end() != End.WAITING);
    }

    /** Asks all shards at once and writes down what they said. */
    private List<Answer> ask(
            String from, Collection<StockReturn> asked, Function<String, Optional<Sale>> found) {
        Map<String, Ended> ended = ended(asked);
        List<CompletableFuture<Answer>> asking = asked.stream()
                .map(r -> ask(
                        r,
                        Optional.ofNullable(ended.get(r.reservationId())),
                        placement(r, found.apply(r.productId()))))
                .toList();
        List<Answer> said = asking.stream().map(CompletableFuture::join).toList();
        reached(CrashPoint.RETURN_ANSWERED, said);
        List<Answer> answers = ofNow(said);
        if (!answers.isEmpty()) {
            returns.put(Json.write(answers), clock.millis());
        }
        reached(CrashPoint.RETURN_WRITTEN, answers);
        tellEdges(answers);
        answers.forEach(answer -> count(from, answer.end(), 1));
        answers.stream().filter(answer -> answer.end() == End.WAITING).forEach(this::tell);
        answers.stream()
                .flatMap(answer -> answer.loss().stream())
                .distinct()
                .forEach(loss -> losses.found("return_lost", loss));
        return answers;
    }

    private Map<String, Ended> ended(Collection<StockReturn> asked) {
        Map<String, String> users =
                asked.stream().collect(toMap(StockReturn::reservationId, StockReturn::userId));
        return users.isEmpty()
                ? Map.of()
                : returns.ended(users.keySet()).stream()
                        .filter(order -> order.userId().equals(users.get(order.reservationId())))
                        .collect(toMap(EndedOrder::reservationId, EndedOrder::ended));
    }

    /**
     * The ledger is read once the shards have spoken, and not locked, for orders wait for its rows:
     * an epoch that begins between this and the row leaves a return that is done too early, which
     * the reconciler finds.
     */
    private List<Answer> ofNow(List<Answer> said) {
        Function<String, Optional<Sale>> found = lookedUpOnce();
        return said.stream()
                .map(answer -> placement(answer.r(), found.apply(answer.r().productId()))
                        .map(placed -> answer.in(placed.epoch()))
                        .orElse(answer))
                .toList();
    }

    private CompletableFuture<Answer> ask(
            StockReturn r, Optional<Ended> ended, Optional<Placement> placed) {
        if (placed.filter(place -> place.state() == Placement.State.RETIRED).isPresent()) {
            return CompletableFuture.completedFuture(Answer.retired(r));
        }
        if (r.shard() >= shards.all().size()) {
            return CompletableFuture.completedFuture(Answer.waits(r, "not in seckill.shards"));
        }
        return shards.get(r.shard())
                .giveBackAsync(r, ended)
                .handle((said, failure) -> failure == null
                        ? Answer.of(r, said)
                        : Answer.waits(r, String.valueOf(failure.getMessage())));
    }

    /** That units are back; should this fail, the next turn of the catalog finds them. */
    private void tellEdges(List<Answer> answers) {
        try {
            answers.stream()
                    .filter(a -> a.end() == End.RETURNED || a.end() == End.REPEATED)
                    .map(answer -> answer.r().productId())
                    .distinct()
                    .forEach(word::unitsBack);
        } catch (JedisException e) {
            LOG.debug("that units are back is left to the catalog", e);
        }
    }

    /** By each that has its final word. */
    private static void reached(CrashPoint point, List<Answer> answers) {
        answers.stream()
                .filter(answer -> answer.end() != End.WAITING)
                .forEach(answer -> point.reached(answer.r().productId()));
    }

    private void tell(Answer waits) {
        if (waitedFor.add(waits.r().shard())) {
            LOG.warn("returns wait for shard {}: {}", waits.r().shard(), waits.why());
        }
    }

    private void forget(Set<Integer> stillWaitedFor) {
        for (Integer shard : List.copyOf(waitedFor)) {
            if (!stillWaitedFor.contains(shard) && waitedFor.remove(shard)) {
                LOG.info("shard {}: no return waits any more", shard);
            }
        }
    }

    /** Puts a message aside that no return can be read from. */
    public void park(String topic, String messageId, String body, String reason) {
        returns.park(topic, messageId, body, reason, clock.millis());
        count("message", End.PARKED, 1);
    }

    /** Throws when the database is away. */
    public void checkReady() {
        returns.ping();
    }

    private void count(String from, End end, int times) {
        counters.add(times, "seckill_returns_total", from);
        counters.add(times, "seckill_" + end.name().toLowerCase(Locale.ROOT) + "_total");
    }
}
