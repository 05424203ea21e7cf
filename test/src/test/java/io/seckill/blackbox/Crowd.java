package io.seckill.blackbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Buyers who come over a fixed number of connections, each until it knows how its attempt ended.
 *
 * <p>A buyer retries 429 and 503 when it is told to and never sooner, and asks for its result after
 * 202 and after ALREADY_BOUGHT (its own earlier attempt whose answer was lost). One that was PENDING
 * and took nothing is made again.
 */
final class Crowd {

    static final int CONNECTIONS = 50;

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final long POLL_MS = 100;
    private static final String NOTHING_TAKEN = "UNKNOWN_OUTCOME";

    private final Copy copy;
    private final String productId;
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger busy = new AtomicInteger();
    private final Map<String, String> endings = new ConcurrentHashMap<>();

    Crowd(Copy copy, String productId) {
        this.copy = copy;
        this.productId = productId;
    }

    /** user → how it ended: ORDERED, SOLD_OUT, REJECTED, or another refusal's code. */
    Map<String, String> endings() {
        return endings;
    }

    List<String> endedWith(String ending) {
        return endings.entrySet().stream()
                .filter(e -> e.getValue().equals(ending))
                .map(Map.Entry::getKey)
                .toList();
    }

    int accepted() {
        return accepted.get();
    }

    /** How often somebody was told 503 and came again. */
    int busy() {
        return busy.get();
    }

    static List<String> users(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(n -> prefix + n).toList();
    }

    /** Starts all of them; the future ends when the last buyer knows. */
    Future<?> start(List<String> users) {
        ConcurrentLinkedQueue<String> waiting = new ConcurrentLinkedQueue<>(users);
        ExecutorService connections = Executors.newFixedThreadPool(CONNECTIONS);
        List<Future<?>> all = IntStream.range(0, CONNECTIONS)
                .<Future<?>>mapToObj(n -> connections.submit(() -> serve(waiting)))
                .toList();
        ExecutorService end = Executors.newSingleThreadExecutor();
        Future<?> done = end.submit(() -> {
            for (Future<?> one : all) {
                one.get();
            }
            return null;
        });
        connections.shutdown();
        end.shutdown();
        return done;
    }

    private void serve(ConcurrentLinkedQueue<String> waiting) {
        Shop shop = new Shop(copy);
        for (String user = waiting.poll(); user != null; user = waiting.poll()) {
            endings.put(user, buy(shop, user));
        }
    }

    private String buy(Shop shop, String user) {
        Instant limit = Instant.now().plus(PATIENCE);
        while (Instant.now().isBefore(limit)) {
            Shop.Answer answer = shop.post(user, Shop.deduct(productId));
            switch (answer.status()) {
                case 202 -> {
                    accepted.addAndGet(answer.text("code").equals("ACCEPTED") ? 1 : 0);
                    String ending = result(shop, user, limit);
                    if (!ending.equals(NOTHING_TAKEN)) {
                        return ending;
                    }
                }
                case 429 -> pause(answer.number("retryAfterMs"));
                case 503 -> {
                    busy.incrementAndGet();
                    pause(answer.number("retryAfterMs"));
                }
                default -> {
                    boolean mine = answer.text("code").equals("ALREADY_BOUGHT");
                    return mine ? result(shop, user, limit) : answer.text("code");
                }
            }
        }
        return "PATIENCE_ENDED";
    }

    private String result(Shop shop, String user, Instant limit) {
        while (Instant.now().isBefore(limit)) {
            Shop.Answer answer = shop.get(user, Shop.result(productId));
            if (answer.status() == 200 && !answer.text("status").equals("PENDING")) {
                return NOTHING_TAKEN.equals(answer.body().get("reason"))
                        ? NOTHING_TAKEN
                        : answer.text("status");
            }
            busy.addAndGet(answer.status() == 503 ? 1 : 0);
            pause(answer.status() == 200 ? POLL_MS : answer.number("retryAfterMs"));
        }
        return "PENDING";
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
