package io.seckill.flashsale.query;

import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.shard.Pipeline;
import io.seckill.shard.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ZRangeParams;
import redis.clients.jedis.resps.Tuple;

/** What became of a user's reservations of a product, in the control Redis; store_result.lua. */
@Component
public final class ResultStore {

    private static final Logger LOG = LoggerFactory.getLogger(ResultStore.class);

    private static final Script STORE = Script.of(ResultStore.class, "/store_result.lua");
    private static final Script READ = Script.of(ResultStore.class, "/read_results.lua");

    private static final Script STORE_UNKNOWN = Script.of(ResultStore.class, "/store_unknown.lua");
    private static final Script SETTLE_UNKNOWN =
            Script.of(ResultStore.class, "/settle_unknown.lua");

    private static final Script STORE_SPOOLED = Script.of(ResultStore.class, "/store_spooled.lua");
    private static final Script FORGET_SPOOLED =
            Script.of(ResultStore.class, "/forget_spooled.lua");

    /** Attempts on one shard that nobody knows of. */
    static final int MAX_UNKNOWN = 10_000;

    /** Attempts in the spools of all instances, whose units are known only once they expire. */
    static final int MAX_SPOOLED = 200_000;

    private static final String OWN_RANK = "0"; // gives way to order-service's word
    private static final String ENDED_RANK = "2"; // nothing comes after it

    /** Reservations of one product that one user is told of. */
    static final int MAX_KEPT = 20;

    private final RedisClient control;
    private final Pipeline reads;
    private final Pipeline writes;
    private final RecentAnswers recent;

    ResultStore(
            RedisClient control,
            Pipeline controlReads,
            Pipeline controlWrites,
            RecentAnswers recent) {
        this.control = control;
        reads = controlReads;
        writes = controlWrites;
        this.recent = recent;
    }

    /**
     * Keeps that nobody knows of this attempt; false when it may not be kept: the sale was removed,
     * too many are open or known of its user, or the control Redis is away. Waits for nothing.
     */
    CompletableFuture<Boolean> storeUnknown(int shard, Unknown attempt) {
        return writes.run(STORE_UNKNOWN, unknownKeys(shard, attempt), unknownArgs(attempt))
                .handle((reply, failure) -> failure == null && !reply.equals(0L));
    }

    /**
     * The same of one that was kept and is gone; false: it was not lost but has ended, or may not be
     * kept any more, for the same reasons or because its result is no hash.
     */
    boolean storeLostUnknown(int shard, Unknown attempt) {
        try {
            return STORE_UNKNOWN
                    .run(control, unknownKeys(shard, attempt), unknownArgs(attempt))
                    .equals(1L);
        } catch (JedisDataException e) {
            throwUnlessWrongType(e);
            return false;
        }
    }

    private static List<String> unknownKeys(int shard, Unknown attempt) {
        return List.of(
                RedisKeys.result(attempt.productId(), attempt.userId()),
                RedisKeys.unknown(shard),
                RedisKeys.removed(attempt.productId()));
    }

    private static List<String> unknownArgs(Unknown attempt) {
        return List.of(
                attempt.reservationId(),
                Json.write(Told.pending(attempt.reservationId())),
                attempt.member(),
                Long.toString(attempt.deadlineMs()),
                Integer.toString(MAX_UNKNOWN),
                Integer.toString(MAX_KEPT));
    }

    /** Those of them that are not open: they have ended, or were lost. */
    List<Unknown> notOpen(int shard, List<Unknown> attempts) {
        if (attempts.isEmpty()) {
            return attempts;
        }
        List<Double> deadlines = control.zmscore(
                RedisKeys.unknown(shard),
                attempts.stream().map(Unknown::member).toArray(String[]::new));
        return IntStream.range(0, attempts.size())
                .filter(i -> deadlines.get(i) == null)
                .mapToObj(attempts::get)
                .toList();
    }

    /** Open attempts on a shard, those with the earliest deadlines first; a page of them. */
    List<Tuple> unknown(int shard, int from, int count) {
        return control.zrangeWithScores(RedisKeys.unknown(shard), from, from + count - 1L);
    }

    /** How many those are. */
    long unknowns(int shard) {
        return control.zcard(RedisKeys.unknown(shard));
    }

    /** A unit was taken; false, and it stays open: its order event has yet to come. */
    boolean settleTaken(int shard, Unknown attempt) {
        return settle(RedisKeys.unknown(shard), attempt, "");
    }

    /** Nothing was taken: its user is told so, unless order-service knows better. */
    void settleRejected(int shard, Unknown attempt) {
        settle(
                RedisKeys.unknown(shard),
                attempt,
                Json.write(Told.unknownOutcome(attempt.reservationId())));
    }

    /** Attempts that were spooled and expired before this time; a page of them. */
    List<Tuple> spooled(long beforeMs, int from, int count) {
        return control.zrangeWithScores(
                RedisKeys.SPOOLED,
                ZRangeParams.zrangeByScoreParams(0, (double) beforeMs).limit(from, count));
    }

    void dropSpooled(String member) {
        control.zrem(RedisKeys.SPOOLED, member);
    }

    /** As of an unknown one, whichever instance had it. */
    boolean settleSpooledTaken(Unknown attempt) {
        return settle(RedisKeys.SPOOLED, attempt, "");
    }

    /** Likewise; where its instance has told its end before, that stays. */
    void settleSpooledRejected(Unknown attempt) {
        settle(
                RedisKeys.SPOOLED,
                attempt,
                Json.write(Told.rejected(attempt.reservationId(), "EXPIRED")));
    }

    /**
     * Keeps that an attempt is in a spool, unless more is known of it; false, and nothing is kept:
     * the sale was removed, or too many are. Fails where the control Redis is away.
     */
    public CompletableFuture<Boolean> storeSpooled(
            String productId, String userId, String id, long expiresAtMs) {
        return writes.run(
                        STORE_SPOOLED,
                        List.of(
                                RedisKeys.result(productId, userId),
                                RedisKeys.removed(productId),
                                RedisKeys.SPOOLED),
                        List.of(
                                id,
                                Json.write(Told.pending(id)),
                                Integer.toString(MAX_KEPT),
                                new Unknown(id, productId, userId, expiresAtMs).member(),
                                Long.toString(expiresAtMs),
                                Integer.toString(MAX_SPOOLED)))
                .thenApply(reply -> reply.equals(1L));
    }

    /** It has taken no unit and never will, unless order-service knows better. */
    public CompletableFuture<Void> rejectSpooled(
            String productId, String userId, String id, String reason) {
        return keep(productId, userId, id, OWN_RANK, Json.write(Told.rejected(id, reason)));
    }

    /** Its user has another reservation, of which all is known. */
    public CompletableFuture<Void> forgetSpooled(String productId, String userId, String id) {
        return writes.run(FORGET_SPOOLED, List.of(RedisKeys.result(productId, userId)), List.of(id))
                .thenAccept(reply -> recent.forget(productId, userId, System.nanoTime()));
    }

    /** Where the result is no hash nobody can be told, and it ends so. */
    private boolean settle(String list, Unknown attempt, String rejected) {
        try {
            return settled(list, attempt, rejected);
        } catch (JedisDataException e) {
            throwUnlessWrongType(e);
            LOG.error("{} is dropped: its result is no hash", attempt.member());
            control.zrem(list, attempt.member());
            return true;
        }
    }

    private static void throwUnlessWrongType(JedisDataException e) {
        if (!String.valueOf(e.getMessage()).startsWith("WRONGTYPE")) {
            throw e;
        }
    }

    private boolean settled(String list, Unknown attempt, String rejected) {
        Object reply = SETTLE_UNKNOWN.run(
                control,
                List.of(RedisKeys.result(attempt.productId(), attempt.userId()), list),
                List.of(
                        attempt.reservationId(),
                        attempt.member(),
                        Json.write(Told.pending(attempt.reservationId())),
                        rejected));
        recent.forget(attempt.productId(), attempt.userId(), System.nanoTime());
        return reply.equals(1L);
    }

    /** Of a sale that is gone, or not this service's writing. */
    void forgetUnknown(int shard, String member) {
        control.zrem(RedisKeys.unknown(shard), member);
    }

    /**
     * Keeps each event unless a later one of its reservation is kept, or the sale was removed; all
     * are sent together, and what is known of one says nothing of the next. Throws to be repeated,
     * when all have ended and not each is kept.
     */
    public void store(List<OrderEvent> events) {
        CompletableFuture.allOf(events.stream().map(this::keep).toArray(CompletableFuture[]::new))
                .join();
    }

    private CompletableFuture<Void> keep(OrderEvent event) {
        return keep(
                event.productId(),
                event.userId(),
                event.reservationId(),
                rank(event.status()),
                Json.write(event));
    }

    /**
     * Keeps what shards say of ended reservations whose events have not come, or were lost: one of
     * their orders that comes late changes nothing any more. Fails when the control Redis is away.
     */
    CompletableFuture<Void> keepEnded(String productId, String userId, List<Told> ended) {
        return CompletableFuture.allOf(ended.stream()
                .map(one ->
                        keep(productId, userId, one.reservationId(), ENDED_RANK, Json.write(one)))
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> keep(
            String productId, String userId, String reservationId, String rank, String word) {
        return writes.run(
                        STORE,
                        List.of(RedisKeys.result(productId, userId), RedisKeys.removed(productId)),
                        List.of(reservationId, rank, word, Integer.toString(MAX_KEPT)))
                .thenAccept(reply -> recent.forget(productId, userId, System.nanoTime()));
    }

    /** All that is known; refused with BUSY when the control Redis is away. Waits for nothing. */
    CompletableFuture<Outcome<List<Told>>> read(String productId, String userId) {
        return reads.run(READ, List.of(RedisKeys.result(productId, userId)), List.of())
                .handle((reply, failure) -> {
                    if (failure != null) {
                        return Outcome.refused(Refusal.BUSY);
                    }
                    return Outcome.of(((List<?>) reply)
                            .stream().map(kept -> Told.of((String) kept)).toList());
                });
    }

    private static String rank(OrderEvent.Status status) {
        return status == OrderEvent.Status.ORDERED ? "1" : ENDED_RANK;
    }
}
