package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.reconcile.Reconciler;
import io.seckill.stock.recovery.Recovery;
import io.seckill.stock.recovery.Retirement;
import io.seckill.stock.returns.ReturnService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import redis.clients.jedis.Jedis;

/**
 * What a crash cuts off at any point is done by whoever comes next, once.
 *
 * <p>Here the crash is an Error, which nothing but the end of a transaction notices; real ends of
 * the process, in the middle of a sale, are what {@code ./seckill faults recovery-crash} is for.
 */
class CrashPointIT {

    private static final int SHARD = 1;
    private static final int RETIRED = 2;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final List<CrashPoint> POINTS = List.of(CrashPoint.values());

    private final Stock stock = Stock.running();

    private static final class Crash extends Error {}

    /** A retired shard is one for all sales, so there is none of others here. */
    @BeforeEach
    @AfterEach
    void forget() {
        stock.forgetSales();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = "(ATTEMPT|RELAY|SPOOL|LANDING)_.*") // of other hops
    void work_that_a_crash_cuts_off_is_completed_by_the_next_turn(CrashPoint point) {
        Buyers buyers = sale(product(point));
        Runnable next = withoutLoops(() -> switch (point) {
            case RECOVERY_GATE_OPEN -> crashWhileOpening(point, buyers);
            case RECOVERY_CLOSED,
                    RECOVERY_DRAINING,
                    RECOVERY_DECIDING,
                    RECOVERY_DECIDED,
                    REBUILD_BEGUN,
                    REBUILD_PAGE_SENT,
                    REBUILD_FILLED,
                    REBUILD_ENDED,
                    REBUILD_LEDGER_OPEN,
                    REBUILD_GATE_OPEN -> crashInRebuild(point, buyers);
            case LOSS_RECORDED -> crashAfterProofOfLoss(point, buyers);
            case RETURN_ANSWERED, RETURN_WRITTEN -> crashInReturn(point, buyers);
            case RETIREMENT_MOVING, RETIREMENT_MOVED, RETIREMENT_CLOSED -> crashInRetirement(point);
            case CHANGE_TOPPED_UP -> crashInChange(point);
            case REPAIR_MADE -> crashInRepair(point, buyers);
            default -> throw new IllegalArgumentException(point.title());
        });
        next.run();
        assertBalanced(point);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVERY_CLOSED", "RECOVERY_DECIDING", "RECOVERY_DECIDED"})
    void part_that_lost_nothing_is_opened_in_the_end_too(CrashPoint point) {
        Buyers buyers = sale(product(point));
        withoutLoops(() -> crashWhileOpening(point, buyers)).run();
        assertBalanced(point);
    }

    /** The first page is in by then. */
    @Test
    void rebuild_that_ends_between_two_pages_begins_anew() {
        CrashPoint point = CrashPoint.REBUILD_PAGE_SENT;
        Buyers buyers = sale(product(point), 1_800);
        IntStream.range(0, 501).forEach(i -> buyers.buy(SHARD, "user-" + i, 1));
        withoutLoops(() -> {
                    edit(SHARD, Jedis::flushAll);
                    crash(point, 2, stock.bean(Recovery.class)::turn);
                    return () -> awaitOpen(product(point));
                })
                .run();
        assertThat(stock.available(product(point))).containsExactly("600", "99", "600");
        assertBalanced(point);
    }

    private void assertBalanced(CrashPoint point) {
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(stock.audit(product(point)).body().get("balanced"))
                                .as(String.valueOf(stock.audit(product(point)).body()))
                                .isEqualTo(true));
    }

    /** Between decision and opening the shard has missed an epoch, and so is rebuilt. */
    private Runnable crashWhileOpening(CrashPoint point, Buyers buyers) {
        buyers.buy(SHARD, "alice", 1);
        edit(SHARD, jedis -> jedis.hdel(RedisKeys.stock(product(point)), "open_for"));
        crash(point, stock.bean(Recovery.class)::turn);
        return () -> {
            awaitOpen(product(point));
            assertThat(stock.available(product(point))).containsExactly("10", "9", "10");
            assertThat(openings(product(point)))
                    .isEqualTo(
                            point == CrashPoint.RECOVERY_DECIDED
                                    ? List.of("2 1", "3 -1")
                                    : List.of("2 1"));
        };
    }

    private Runnable crashInRebuild(CrashPoint point, Buyers buyers) {
        String product = product(point);
        String id = buyers.buy(SHARD, "alice", 1);
        edit(SHARD, jedis -> {
            jedis.hdel(RedisKeys.reservations(product), id);
            jedis.hdel(RedisKeys.buyers(product), "alice");
        });
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET state = 'RECOVERING'"
                                + " WHERE product_id = ? AND shard = ?",
                        product,
                        SHARD);
        crash(point, stock.bean(Recovery.class)::turn);
        return () -> {
            awaitOpen(product);
            edit(
                    SHARD,
                    jedis -> assertThat(jedis.hkeys(RedisKeys.reservations(product)))
                            .containsExactly(id));
            assertThat(stock.available(product)).containsExactly("10", "9", "10");
            assertThat(openings(product)).startsWith("2 -1");
        };
    }

    private Runnable crashAfterProofOfLoss(CrashPoint point, Buyers buyers) {
        StockReturn message = cancelled(buyers);
        edit(SHARD, jedis -> {
            jedis.hdel(RedisKeys.reservations(product(point)), message.reservationId());
            jedis.hdel(RedisKeys.buyers(product(point)), "alice");
        });
        crash(point, () -> stock.bean(ReturnService.class).settle(List.of(message)));
        return () -> {
            await().atMost(LIMIT).until(() -> outcome(message).equals(List.of("OLDER")));
            assertThat(stock.available(product(point))).containsOnly("10");
        };
    }

    /** The broker delivers again what was not acknowledged. */
    private Runnable crashInReturn(CrashPoint point, Buyers buyers) {
        StockReturn message = cancelled(buyers);
        Runnable delivery = () -> stock.bean(ReturnService.class).settle(List.of(message));
        crash(point, delivery);
        assertThat(outcome(message)).hasSize(point == CrashPoint.RETURN_ANSWERED ? 0 : 1);
        return () -> {
            delivery.run();
            assertThat(outcome(message)).isSubsetOf("RETURNED", "ALREADY_DONE").hasSize(1);
            assertThat(stock.available(product(point))).containsOnly("10");
        };
    }

    /** Whoever asked for it and got no answer asks again; a second product has its turn then. */
    private Runnable crashInRetirement(CrashPoint point) {
        String second = product(point) + "1";
        sale(second);
        crash(point, () -> stock.bean(Retirement.class).retire(RETIRED));
        assertThat(allocated(second)).containsExactly(10L, 10L, 10L);
        return () -> {
            stock.bean(Retirement.class).retire(RETIRED);
            for (String product : List.of(product(point), second)) {
                awaitMoved(product);
                assertThat(allocated(product)).containsExactly(15L, 15L, 0L);
            }
        };
    }

    private Runnable crashInChange(CrashPoint point) {
        stock.bean(Retirement.class).retire(RETIRED);
        crash(point, stock.bean(Retirement.class)::turn);
        assertThat(stock.available(product(point)))
                .as("one shard has its units, the next has not")
                .startsWith("15", "10");
        return () -> awaitMoved(product(point));
    }

    /** An order that ended long ago and has no return. */
    private Runnable crashInRepair(CrashPoint point, Buyers buyers) {
        StockReturn missing = cancelled(buyers);
        stock.sql().update("UPDATE orders SET closed_at_ms = 1000");
        Runnable turn = stock.bean(Reconciler.class)::turn;
        crash(point, turn);
        return () -> {
            turn.run();
            await().atMost(LIMIT).until(() -> outcome(missing).equals(List.of("RETURNED")));
            assertThat(stock.available(product(point))).containsOnly("10");
        };
    }

    private static void crash(CrashPoint point, Runnable turn) {
        crash(point, 1, turn);
    }

    /** At the n-th time; some turns may come before the one that gets there. */
    private static void crash(CrashPoint point, int nth, Runnable turn) {
        AtomicInteger times = new AtomicInteger();
        CrashPoint.onReach((reached, productId) -> {
            if (reached == point
                    && productId.equals(product(point))
                    && times.incrementAndGet() == nth) {
                throw new Crash();
            }
        });
        try {
            await().atMost(LIMIT).until(() -> ends(turn));
        } finally {
            CrashPoint.onReach(null);
        }
    }

    private static boolean ends(Runnable turn) {
        try {
            turn.run();
            return false;
        } catch (Crash e) {
            return true;
        }
    }

    /** Those that could get there first, or do the rest before it was looked at. */
    private Runnable withoutLoops(Supplier<Runnable> task) {
        AtomicReference<Runnable> next = new AtomicReference<>();
        stock.withoutRecovery(() -> stock.without(
                "changeLoop", () -> stock.without("returnLoop", () -> next.set(task.get()))));
        return next.get();
    }

    private static String product(CrashPoint point) {
        return Integer.toString(8_700 + POINTS.indexOf(point));
    }

    private Buyers sale(String productId) {
        return sale(productId, 30);
    }

    private Buyers sale(String productId, int units) {
        stock.sell("{'productId':'" + productId + "','stock':" + units + "}");
        return new Buyers(stock, productId);
    }

    private static StockReturn cancelled(Buyers buyers) {
        String id = buyers.buy(SHARD, "alice", 1);
        buyers.cancel(id, SHARD, 1);
        return buyers.giveBack(id, SHARD, "alice", Action.RETURN);
    }

    private void edit(int shard, Consumer<Jedis> by) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            by.accept(jedis);
        }
    }

    private void awaitOpen(String productId) {
        await().atMost(LIMIT)
                .untilAsserted(() -> edit(SHARD, jedis -> {
                    Map<String, String> books = jedis.hgetAll(RedisKeys.stock(productId));
                    assertThat(books).containsKeys("open_for", "init");
                    assertThat(books).doesNotContainKey("building");
                }));
        assertThat(stock.sql()
                        .queryForObject(
                                "SELECT state FROM shard_ledger WHERE product_id = ? AND shard = ?",
                                String.class,
                                productId,
                                SHARD))
                .isEqualTo("OPEN");
    }

    /** Each shard that is left has its part of the retired one's units, and each change is done. */
    private void awaitMoved(String productId) {
        await().atMost(LIMIT)
                .until(() -> stock.sql()
                        .queryForList(
                                "SELECT state FROM stock_change WHERE product_id = ?",
                                String.class,
                                productId)
                        .equals(List.of("DONE", "DONE")));
        assertThat(stock.available(productId)).startsWith("15", "15");
    }

    private List<Long> allocated(String productId) {
        return stock.sql()
                .queryForList(
                        "SELECT allocated FROM shard_ledger WHERE product_id = ? ORDER BY shard",
                        Long.class,
                        productId);
    }

    private List<String> openings(String productId) {
        return stock.sql()
                .queryForList(
                        "SELECT CONCAT(epoch, ' ', kept_seq) FROM shard_opening"
                                + " WHERE product_id = ? ORDER BY epoch",
                        String.class,
                        productId);
    }

    private List<String> outcome(StockReturn of) {
        return stock.sql()
                .queryForList(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        of.reservationId());
    }
}
