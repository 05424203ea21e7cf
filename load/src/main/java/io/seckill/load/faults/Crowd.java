package io.seckill.load.faults;

import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.faults.Buyer.Told;

import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;

/** More users than units, each with a thread of its own; they come over some seconds. */
final class Crowd implements AutoCloseable {

    private static final int ARRIVALS_MS = 4_000;
    private static final long END_LIMIT_S = 20; // an answer comes within 5

    private final List<Buyer> buyers = new ArrayList<>();
    private final ExecutorService threads;

    Crowd(RunningCopy copy, String productId, int users, Habits habits, RandomGenerator random) {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        BuyerTokens tokens = BuyerTokens.of(copy);
        for (int n = 0; n < users; n++) {
            String user = "buyer-" + n;
            int quantity = habits.takesTwo() && random.nextInt(3) == 0 ? 2 : 1;
            Shop shop = new Shop(http, copy.edgePort(), productId, tokens.buyer(user), quantity);
            boolean leaves = habits.pays() && random.nextBoolean();
            buyers.add(new Buyer(user, shop, random.nextInt(ARRIVALS_MS), habits, leaves));
        }
        threads = Executors.newFixedThreadPool(users);
    }

    void start() {
        buyers.forEach(threads::execute);
    }

    List<Told> told() {
        return buyers.stream().map(Buyer::told).toList();
    }

    int accepted() {
        return sum(Told::accepted);
    }

    int cancelled() {
        return sum(Told::cancelled);
    }

    /** Payments that were refused because the order was closed. */
    int tooLate() {
        return sum(Told::tooLate);
    }

    private int sum(ToIntFunction<Told> count) {
        return told().stream().mapToInt(count).sum();
    }

    /** Nobody asks any more. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(END_LIMIT_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("buyers of the crowd do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
