package io.seckill.flashsale.attempt;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Shards;
import io.seckill.testkit.SkewedClock;
import io.seckill.testkit.TcpProxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * A steady crowd over three shards, one of which is in trouble: what the others sell, and to whom.
 */
class ShardTroubleIT extends Hop {

    private static final Logger LOG = LoggerFactory.getLogger(ShardTroubleIT.class);
    private static final int SICK = 1;
    private static final int UNITS = 100_000;
    private static final int PER_TICK = 5;
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int TICKS = 300;

    @Autowired
    private ShardOutcomes outcomes;

    private final List<SkewedClock> proxies = new ArrayList<>();
    private final AtomicLongArray taken = new AtomicLongArray(3);
    private Shards proxied;
    private final List<AllDownListener.Wish> kept = new ArrayList<>();
    private UnderWay underWay;
    private AttemptService attempts;
    private int users;

    @BeforeEach
    void connect() {
        SHARDS.forEach(shard -> {
            SkewedClock proxy = new SkewedClock(shard.address());
            proxy.open();
            proxies.add(proxy);
        });
        proxied = Shards.of(
                "test", proxies.stream().map(p -> "redis://" + p.address()).toList());
        QuantityStocks stocks = new QuantityStocks(proxied);
        Guests guests = new Guests(sales, stocks);
        underWay = new UnderWay(stocks);
        attempts = new AttemptService(
                sales,
                stocks,
                new MarkFinder(stocks, guests),
                guests,
                new Empties(sales, stocks),
                underWay,
                outcomes,
                new ReservationIds(Clock.systemUTC()),
                (shard, product, isLast) -> taken.incrementAndGet(shard),
                (shard, wish) -> CompletableFuture.completedFuture(true),
                wish -> {
                    kept.add(wish);
                    return AllDownListener.NOBODY.allDown(wish);
                },
                Clock.systemUTC());
    }

    @AfterEach
    void disconnect() throws Exception {
        proxied.close();
        for (TcpProxy proxy : proxies) {
            proxy.close();
        }
    }

    /** What may be wrong with a shard, and whether it goes on selling. */
    enum Trouble {
        HUNG(false) {
            @Override
            void begin(ShardTroubleIT test) {
                signal(SHARDS.get(SICK), "STOP");
            }

            @Override
            void end(ShardTroubleIT test) {
                signal(SHARDS.get(SICK), "CONT");
            }
        },
        AWAY(false) {
            @Override
            void begin(ShardTroubleIT test) {
                SHARDS.get(SICK).kill();
            }

            @Override
            void end(ShardTroubleIT test) {
                test.takeBack(SICK);
            }
        },
        REPLIES_LOST(false) {
            @Override
            void begin(ShardTroubleIT test) {
                test.proxies.get(SICK).loseReplies(true);
            }

            @Override
            void end(ShardTroubleIT test) {
                test.proxies.get(SICK).loseReplies(false);
            }
        },
        SLOW_BEYOND_PATIENCE(false) {
            @Override
            void begin(ShardTroubleIT test) {
                test.proxies.get(SICK).delayReplies(Duration.ofMillis(400));
            }

            @Override
            void end(ShardTroubleIT test) {
                test.proxies.get(SICK).delayReplies(Duration.ZERO);
            }
        },
        SLOW(true) {
            @Override
            void begin(ShardTroubleIT test) {
                test.proxies.get(SICK).delayReplies(Duration.ofMillis(80));
            }

            @Override
            void end(ShardTroubleIT test) {
                test.proxies.get(SICK).delayReplies(Duration.ZERO);
            }
        },
        CLOCK_AHEAD(true) {
            @Override
            void begin(ShardTroubleIT test) {
                test.proxies.get(SICK).setAhead(Duration.ofSeconds(5));
            }

            @Override
            void end(ShardTroubleIT test) {
                test.proxies.get(SICK).setAhead(Duration.ZERO);
            }
        },
        CLOCK_BEHIND(true) {
            @Override
            void begin(ShardTroubleIT test) {
                test.proxies.get(SICK).setAhead(Duration.ofSeconds(-5));
            }

            @Override
            void end(ShardTroubleIT test) {
                test.proxies.get(SICK).setAhead(Duration.ZERO);
            }
        };

        private final boolean sells;

        Trouble(boolean sells) {
            this.sells = sells;
        }

        abstract void begin(ShardTroubleIT test);

        abstract void end(ShardTroubleIT test);
    }

    /**
     * The first turn is told and not judged: a batch stays unknown, silences cost, and a busy
     * machine may hold up a shard that is well. Of those after it the best of some tells.
     */
    @ParameterizedTest
    @EnumSource
    void shard_in_trouble_costs_the_others_nothing_and_its_users_a_detour(Trouble trouble) {
        sell(UNITS, UNITS, UNITS);
        run(); // all code is warm, all clocks are known
        Turn steady = run();
        trouble.begin(this);
        Turn first;
        Turn later;
        try {
            first = run();
            later = run();
            for (int i = 0; i < 3 && !later.keepsUpWith(steady); i++) {
                later = run();
            }
        } finally {
            trouble.end(this);
        }
        LOG.info("{}: steady {}; at first {}; then {}", trouble, steady, first, later);

        assertThat(later.keepsUpWith(steady)).isTrue();
        if (trouble.sells) {
            assertThat(later.taken.get(SICK)).isGreaterThanOrEqualTo(later.sum() / 5);
        } else {
            assertThat(later.taken.get(SICK)).as("vacuous otherwise").isZero();
        }
        assertHaveTheirOneUnit(later);
    }

    /**
     * Each has one, in whichever shard. Who tries again is told so, but for a mark that a machine
     * as busy as this may miss; the database is the guard then.
     */
    private void assertHaveTheirOneUnit(Turn turn) {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> proxied.all().stream().noneMatch(shard -> shard.isLeftOut()));
        Set<String> holders = new HashSet<>();
        for (QuantityStock shard : shards.all()) {
            books(shard)
                    .buyers()
                    .keySet()
                    .forEach(user -> assertThat(holders.add(user))
                            .as("%s holds one unit", user)
                            .isTrue());
        }
        assertThat(holders).containsAll(turn.ids.keySet());
        List<String> again = turn.ids.keySet().stream()
                .filter(user -> home(user) == SICK)
                .limit(30)
                .toList();
        assertThat(again.stream()
                        .filter(user -> attempt(user)
                                .equals(AttemptOutcome.alreadyBought(turn.ids.get(user)))))
                .hasSizeGreaterThan(27);
    }

    /** By the number of the user's home, or of the shard that sold. */
    private record Turn(
            List<Long> accepted, List<Long> taken, Map<String, String> ids, long slowestMs) {

        /** At least nine of ten: the others' users, the units they got from the others, its own. */
        boolean keepsUpWith(Turn steady) {
            return ofOthers(accepted) >= ofOthers(steady.accepted) * 9 / 10
                    && ofOthers(taken) >= ofOthers(steady.taken) * 9 / 10
                    && accepted.get(SICK) >= steady.accepted.get(SICK) * 9 / 10;
        }

        private static long ofOthers(List<Long> counts) {
            return counts.stream().mapToLong(Long::longValue).sum() - counts.get(SICK);
        }

        long sum() {
            return accepted.stream().mapToLong(Long::longValue).sum();
        }

        @Override
        public String toString() {
            return "accepted %s, taken from %s, slowest %d ms"
                    .formatted(accepted, taken, slowestMs);
        }
    }

    /** So many attempts in each tick, each of another user, whatever became of those before. */
    private Turn run() {
        List<Long> before = counts();
        Map<String, CompletableFuture<AttemptOutcome>> asked = new HashMap<>();
        AtomicLong slowestMs = new AtomicLong();
        long startNs = System.nanoTime();
        for (int tick = 0; tick < TICKS; tick++) {
            for (int i = 0; i < PER_TICK; i++) {
                String user = "user-" + users++;
                long askedNs = System.nanoTime();
                asked.put(
                        user, attempts.attempt(user, product, 1, "").whenComplete((outcome, e) -> {
                            long tookNs = System.nanoTime() - askedNs;
                            slowestMs.accumulateAndGet(NANOSECONDS.toMillis(tookNs), Math::max);
                        }));
            }
            LockSupport.parkNanos(startNs + (tick + 1) * TICK_NS - System.nanoTime());
        }
        List<Long> accepted = new ArrayList<>(List.of(0L, 0L, 0L));
        Map<String, String> ids = new HashMap<>();
        asked.forEach((user, outcome) -> {
            if (outcome.orTimeout(5, TimeUnit.SECONDS).join() instanceof Accepted got) {
                accepted.set(home(user), accepted.get(home(user)) + 1);
                ids.put(user, got.reservationId());
            }
        });
        List<Long> after = counts();
        List<Long> sold = IntStream.range(0, 3)
                .mapToObj(i -> after.get(i) - before.get(i))
                .toList();
        return new Turn(accepted, sold, ids, slowestMs.get());
    }

    private List<Long> counts() {
        return IntStream.range(0, 3).mapToObj(taken::get).toList();
    }

    /** The deadline was made before the clock was set. */
    @Test
    void attempt_that_its_shard_calls_too_late_goes_on_to_the_next() {
        sell(5, 5, 5);
        String user = userAt(SICK, 1);
        assertThat(attempt(userAt(SICK, 0))).isInstanceOf(Accepted.class);
        proxies.get(SICK).setAhead(Duration.ofSeconds(5));
        assertThat(attempt(user)).isInstanceOf(Accepted.class);
        assertThat(surely(() -> shards.get(SICK).holder(product, user))).isEmpty();
        await().atMost(Duration.ofSeconds(5))
                .until(() ->
                        proxied.get(SICK).clock().millis() - System.currentTimeMillis() > 4_000);
        assertThat(attempt(userAt(SICK, 2))).isInstanceOf(Accepted.class);
        assertThat(surely(() -> shards.get(SICK).holder(product, userAt(SICK, 2))))
                .isPresent();
    }

    @Test
    void attempt_goes_on_to_the_next_while_as_many_as_may_be_are_on_their_way() {
        sell(5, 5, 5);
        for (int i = 0; i < UnderWay.MAX; i++) {
            underWay.enter(SICK);
        }
        assertThat(attempt(userAt(SICK, 1))).isInstanceOf(Accepted.class);
        assertThat(books(shards.get(SICK)).buyers()).isEmpty();
        underWay.leave(SICK);
        assertThat(attempt(userAt(SICK, 2))).isInstanceOf(Accepted.class);
        assertThat(books(shards.get(SICK)).buyers()).containsOnlyKeys(userAt(SICK, 2));
        await().until(() -> underWay.count(SICK) == UnderWay.MAX - 1);
    }

    /** Overload is no fault: nothing of it goes to the disk of who keeps attempts. */
    @Test
    void attempt_is_busy_at_once_while_as_many_as_may_be_are_on_their_way_to_every_shard() {
        sell(5, 5, 5);
        for (int i = 0; i < 3 * UnderWay.MAX; i++) {
            underWay.enter(i % 3);
        }
        assertThat(attempt(userAt(SICK, 1))).isEqualTo(AttemptOutcome.refused(Refusal.BUSY));
        assertThat(kept).isEmpty();
        IntStream.range(0, 3).forEach(underWay::leave);
        assertThat(attempt(userAt(SICK, 1))).isInstanceOf(Accepted.class);
    }

    /** All ways out give back what they took. */
    @Test
    void nobody_is_on_the_way_once_all_have_their_answer() {
        sell(1, 0, 0);
        attempt(userAt(0, 1));
        attempt(userAt(0, 1));
        attempt(userAt(0, 2));
        signal(SHARDS.get(0), "STOP");
        try {
            attempt(userAt(0, 3));
        } finally {
            signal(SHARDS.get(0), "CONT");
        }
        for (int shard = 0; shard < 3; shard++) {
            assertThat(underWay.count(shard)).isZero();
        }
    }

    private AttemptOutcome attempt(String user) {
        return attempts.attempt(user, product, 1, "")
                .orTimeout(5, TimeUnit.SECONDS)
                .join();
    }
}
