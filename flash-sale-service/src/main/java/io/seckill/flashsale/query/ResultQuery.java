package io.seckill.flashsale.query;

import static java.util.Objects.requireNonNull;

import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.flashsale.attempt.MarkFinder;
import io.seckill.flashsale.attempt.MarkFinder.Found;
import io.seckill.flashsale.attempt.MarkFinder.Mark;
import io.seckill.flashsale.relay.ReminderRelay;
import io.seckill.flashsale.sale.Sale;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.Ended;
import io.seckill.shard.Ring;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Tells a buyer what became of the try.
 *
 * <p>A live order (there is at most one) is told first. A mark without a result is PENDING: when
 * the user got marks in two shards, its unit may be rejected for that very order, which the buyer
 * has seen. So is an attempt of which nobody knows ({@link Unknowns}). Else the newest result, else
 * SOLD_OUT or NONE.
 *
 * <p>Who has just been told PENDING or ORDERED is told so again, from memory ({@link
 * RecentAnswers}). Who is told PENDING is told when to ask again: after as long again as the attempt
 * has waited, so that who waits long asks seldom and who has just come hears soon.
 *
 * <p>The results are read first, for most who ask have an order, and then no shard is asked. Where
 * no untold mark is found they are read again, after the marks, for a mark goes when its reservation
 * has ended. The unit may be back before the event of that has come, or the event's result was lost:
 * but where the mark was the shard says in the same instant how it ended ({@link Ended}), which
 * counts as a result. It is kept with the results before it is told: then nothing that comes late,
 * as the event of the order, tells less.
 *
 * <p>So what a buyer sees is monotone: PENDING, then ORDERED or REJECTED, then perhaps CANCELLED.
 * Only an UNKNOWN_OUTCOME, which this service found out itself, gives way to order-service's word.
 */
@Component
public final class ResultQuery {

    private static final Comparator<Told> LIVE_THEN_NEWEST =
            Comparator.comparing(Told::isLive).thenComparing(Told::reservedAtMs);

    private static final String STATUS = "status";

    /** Whoever is told one of these has no reason to try again. */
    private static final Set<Object> LASTING = Set.of("PENDING", "ORDERED");

    /** Who asks sooner hears the same from memory. */
    private static final long FIRST_POLL_MS = TimeUnit.NANOSECONDS.toMillis(RecentAnswers.KEPT_NS);

    private static final long LAST_POLL_MS = 3_000;

    private final SaleCache sales;
    private final MarkFinder marks;
    private final ResultStore results;
    private final ReminderRelay reminders;
    private final RecentAnswers recent;
    private final Clock clock;

    ResultQuery(
            SaleCache sales,
            MarkFinder marks,
            ResultStore results,
            ReminderRelay reminders,
            RecentAnswers recent,
            Clock clock) {
        this.sales = sales;
        this.marks = marks;
        this.results = results;
        this.reminders = reminders;
        this.recent = recent;
        this.clock = clock;
    }

    /** Refused with NO_SUCH_SALE, and with BUSY when a silent shard may hold the answer. */
    public CompletableFuture<Outcome<Map<String, Object>>> result(String userId, String productId) {
        return sales.ask(productId)
                .thenCompose(known -> known.either(
                        sale -> result(sale, userId), refusal -> done(Outcome.refused(refusal))));
    }

    private CompletableFuture<Outcome<Map<String, Object>>> result(Sale sale, String userId) {
        long askedNs = System.nanoTime();
        Optional<Map<String, Object>> told = recent.get(sale.productId(), userId, askedNs);
        if (told.isPresent()) {
            return done(Outcome.of(told.get()));
        }
        return ask(sale, userId).thenApply(outcome -> {
            if (outcome instanceof Outcome.Value<Map<String, Object>> known
                    && LASTING.contains(known.value().get(STATUS))) {
                recent.put(sale.productId(), userId, known.value(), askedNs);
            }
            return outcome;
        });
    }

    private CompletableFuture<Outcome<Map<String, Object>>> ask(Sale sale, String userId) {
        return results.read(sale.productId(), userId)
                .thenCompose(early -> early.either(
                        words -> result(sale, userId, words),
                        refusal -> done(Outcome.refused(refusal))));
    }

    private CompletableFuture<Outcome<Map<String, Object>>> result(
            Sale sale, String userId, List<Told> early) {
        Optional<Told> order = early.stream().filter(Told::isLive).findFirst();
        if (order.isPresent()) {
            return done(Outcome.of(answer(order.get())));
        }
        return marks.find(Ring.of(userId, sale.placements()), sale.productId(), userId)
                .thenCompose(found -> found.marks().stream().anyMatch(m -> isUntold(m, early))
                        ? tell(sale, userId, found, early)
                        : results.read(sale.productId(), userId)
                                .thenCompose(late -> late.either(
                                        words -> tell(sale, userId, found, words),
                                        refusal -> done(Outcome.refused(refusal)))));
    }

    private static <T> CompletableFuture<Outcome<T>> done(Outcome<T> outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    private CompletableFuture<Outcome<Map<String, Object>>> tell(
            Sale sale, String userId, Found found, List<Told> kept) {
        List<Told> news = news(found, kept);
        List<Told> words = Stream.concat(
                        news.stream(),
                        kept.stream().filter(word -> news.stream().noneMatch(word::isOfSame)))
                .toList();
        Optional<Told> told = words.stream().max(LIVE_THEN_NEWEST);
        Outcome<Map<String, Object>> answer = answer(sale, found, words, told);
        return !news.isEmpty()
                        && told.filter(Told::isLive).isEmpty()
                        && answer instanceof Outcome.Value
                ? results.keepEnded(sale.productId(), userId, news)
                        .handle((nothing, failure) ->
                                failure == null ? answer : Outcome.refused(Refusal.BUSY))
                : done(answer);
    }

    /** What shards say ended of which no result says so; that of an order tells it in time. */
    private static List<Told> news(Found found, List<Told> kept) {
        return found.ended().stream()
                .distinct()
                .map(Told::of)
                .filter(ended -> kept.stream()
                        .noneMatch(word -> word.isOfSame(ended)
                                && (word.isLive() || word.status() == ended.status())))
                .toList();
    }

    private Outcome<Map<String, Object>> answer(
            Sale sale, Found found, List<Told> words, Optional<Told> told) {
        if (told.filter(Told::isLive).isEmpty()) {
            List<Mark> untold =
                    found.marks().stream().filter(mark -> isUntold(mark, words)).toList();
            boolean isOpen = !words.stream().allMatch(Told::isFinal);
            if (isOpen || !untold.isEmpty()) {
                untold.forEach(mark -> reminders.ask(sale.productId(), mark));
                return Outcome.of(pending(untold, words));
            }
            if (!found.complete()) {
                return Outcome.refused(Refusal.BUSY);
            }
        }
        return Outcome.of(told.map(ResultQuery::answer)
                .orElseGet(() -> status(sale.soldOut() ? "SOLD_OUT" : "NONE")));
    }

    /** By the newest of those that nobody knows the end of. */
    private Map<String, Object> pending(List<Mark> untold, List<Told> words) {
        long waitedMs = clock.millis()
                - Stream.concat(
                                untold.stream().map(Mark::reservationId),
                                words.stream()
                                        .filter(word -> !word.isFinal())
                                        .map(Told::reservationId))
                        .mapToLong(Told::madeAtMs)
                        .max()
                        .orElseThrow();
        return Map.of(
                STATUS,
                "PENDING",
                "retryAfterMs",
                Math.max(FIRST_POLL_MS, Math.min(waitedMs, LAST_POLL_MS)));
    }

    private static boolean isUntold(Mark mark, List<Told> words) {
        return words.stream()
                .noneMatch(word ->
                        word.isFinal() && word.reservationId().equals(mark.reservationId()));
    }

    private static Map<String, Object> answer(Told told) {
        String reason = String.valueOf(told.reason());
        String status = told.status().name();
        return switch (told.status()) {
            case PENDING -> status(status);
            case ORDERED ->
                Map.of(
                        "status",
                        status,
                        "orderSn",
                        requireNonNull(told.orderSn()),
                        "payBy",
                        Instant.ofEpochMilli(requireNonNull(told.payByMs())).toString());
            case REJECTED -> Map.of("status", status, "reason", reason);
            case CANCELLED ->
                Map.of(
                        "status",
                        status,
                        "orderSn",
                        requireNonNull(told.orderSn()),
                        "reason",
                        reason);
        };
    }

    private static Map<String, Object> status(String status) {
        return Map.of("status", status);
    }
}
