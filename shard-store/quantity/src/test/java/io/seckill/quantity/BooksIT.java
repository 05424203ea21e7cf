package io.seckill.quantity;

import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.quantity.ReserveOutcome.Word;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The books balance (invariants A1, A2, A5) whatever comes, in whatever order, how often. */
class BooksIT extends OneShard {

    private static final int STOCK = 20;
    private static final int USERS = 12;
    private static final int IDS = 80;

    @BeforeEach
    void load() {
        shard.load(PRODUCT, EPOCH, STOCK);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void books_balance_after_every_step_of_a_random_run(long seed) {
        Random random = new Random(seed);
        Set<Word> seen = EnumSet.noneOf(Word.class);
        Set<ReturnOutcome.Word> done = EnumSet.noneOf(ReturnOutcome.Word.class);
        for (int step = 0; step < 800; step++) {
            step(random, seen, done);
            assertBalanced("seed " + seed + ", step " + step);
        }
        assertThat(seen)
                .as("the run is worth something")
                .contains(Word.TAKEN, Word.GONE, Word.ALREADY_BOUGHT, Word.DEADLINE_PASSED);
        assertThat(done)
                .containsExactlyInAnyOrder(
                        ReturnOutcome.Word.RETURNED,
                        ReturnOutcome.Word.BURNED,
                        ReturnOutcome.Word.ALREADY_DONE,
                        ReturnOutcome.Word.LOST,
                        ReturnOutcome.Word.NEWER);
    }

    /** Few users and ids, so that duplicates, late and foreign commands come by themselves. */
    private static void step(Random random, Set<Word> seen, Set<ReturnOutcome.Word> done) {
        int id = random.nextInt(IDS);
        String user = "user-" + random.nextInt(USERS);
        int epoch = random.nextInt(10) == 0 ? EPOCH + 1 : EPOCH;
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                Action action = random.nextInt(3) == 0 ? Action.BURN : Action.RETURN;
                done.add(shard.giveBack(giveBack(id, user, action, epoch)).word());
            }
            case 2 -> shard.load(PRODUCT, epoch, random.nextInt(100));
            default -> {
                long in = random.nextInt(10) == 0 ? -1_000 : 10_000;
                long deadlineMs = System.currentTimeMillis() + in;
                int quantity = 1 + random.nextInt(4);
                seen.add(shard.reserve(reserve(id, user, quantity, deadlineMs)).word());
            }
        }
    }

    @Test
    void crowd_takes_every_unit_once_and_none_twice() throws InterruptedException {
        AtomicInteger taken = new AtomicInteger();
        ExecutorService crowd = Executors.newFixedThreadPool(16);
        for (int i = 0; i < 400; i++) {
            int id = i;
            crowd.execute(() -> {
                // Every user tries twice at once, each try with its own reservation.
                Word word = shard.reserve(reserve(id, "user-" + id / 2, 1)).word();
                taken.addAndGet(word == Word.TAKEN ? 1 : 0);
            });
        }
        crowd.shutdown();
        assertThat(crowd.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

        assertThat(taken).hasValue(STOCK);
        Books books = shard.books(PRODUCT);
        assertThat(books.buyers()).hasSize(STOCK);
        assertThat(books.outboxLength()).isEqualTo(STOCK);
        assertBalanced("crowd");
    }

    private static void assertBalanced(String when) {
        Books books = shard.books(PRODUCT);
        StockCount count = books.stock().orElseThrow();
        List<Kept> kept = List.copyOf(books.reservations().values());

        assertThat(count.available()).as(when).isNotNegative();
        assertThat(count.init() - count.deducted() + count.returned())
                .as("A1 " + when)
                .isEqualTo(count.available());
        assertThat(sum(kept, State.R))
                .as("A2 " + when)
                .isEqualTo(count.deducted() - count.returned() - count.burned());
        assertThat(sum(kept, State.X)).as("A2 " + when).isEqualTo(count.returned());
        assertThat(sum(kept, State.B)).as("A2 " + when).isEqualTo(count.burned());
        assertThat(books.buyers()).as("A5 " + when).isEqualTo(holders(books));
        assertThat(books.outboxLength())
                .as("an entry for each reservation ever taken, " + when)
                .isEqualTo(kept.size());
        assertThat(kept.stream().map(Kept::seq).sorted())
                .as("each seq from 1 on is stamped once, " + when)
                .isEqualTo(LongStream.rangeClosed(1, count.seq()).boxed().toList());
    }

    private static long sum(List<Kept> kept, State state) {
        ToLongFunction<Kept> quantity = Kept::quantity;
        return kept.stream().filter(k -> k.state() == state).mapToLong(quantity).sum();
    }

    /** Throws when a user is in two of them: the map refuses a second value for a key. */
    private static Map<String, String> holders(Books books) {
        Map<String, Kept> held = new HashMap<>(books.reservations());
        held.values().removeIf(k -> k.state() != State.R);
        return held.entrySet().stream()
                .collect(Collectors.toMap(e -> e.getValue().userId(), Map.Entry::getKey));
    }
}
