package io.seckill.flashsale.spool;

import io.seckill.common.Counters;
import io.seckill.flashsale.FlashSaleProperties;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Attempts on this host's disk, at most one of a user and product, until they are made.
 *
 * <p>One thread has the file. It takes what waits for it, at most {@link #BATCH}, commits it with
 * one sync and then tells all; nobody else waits for a disk. What others read is a copy in memory,
 * which is changed only after the commit, so that nothing is in it that a kill could lose. What a
 * kill or an error leaves behind is a record that was made already: it is made again under its
 * first id, which takes no second unit. After an error the file is opened anew and made equal to
 * the copy, and until the canary has come through it nothing is taken in.
 *
 * <p>Bounds: {@link Bounds#entries} records, {@link Bounds#bytes} of the file, {@link #QUEUE} that
 * wait for the thread; beyond each of them nothing is taken in.
 */
@Component
final class Spool implements AutoCloseable {

    static final int BATCH = 1_000;
    static final int QUEUE = 10_000;

    private static final long TURN_MS = 1_000;
    private static final long STOP_MS = 8_000;
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

    /** The most it holds: records, and bytes of its file. */
    record Bounds(int entries, long bytes) {
        static final Bounds DEFAULT = new Bounds(100_000, 256L << 20);
    }

    /** What became of a wish to be kept. */
    enum Kept {
        YES,
        /** It is full, or the disk does not take it. */
        NO,
        /** The disk failed while it was written. */
        UNKNOWN
    }

    /** One that waits for the thread; one: null, and the key is removed. */
    private record Task(String key, @Nullable Spooled one, CompletableFuture<Kept> done) {}

    private final Path folder;
    private final Bounds bounds;
    private final long canaryMs;
    private final Counters counters;
    private final Clock clock;
    private final Copy copy;
    private final Map<String, CompletableFuture<Spooled>> coming = new ConcurrentHashMap<>();
    private final BlockingQueue<Task> tasks = new ArrayBlockingQueue<>(QUEUE);
    private final Thread thread = new Thread(this::run, "spool");
    private volatile boolean sound = true;
    private volatile boolean stopping;
    private volatile long bytes;
    private volatile long aside;
    private volatile long turnNs = System.nanoTime();
    private volatile long cameThroughMs;
    private long canaryAtMs; // of the thread, as all below
    private @Nullable SpoolFile file;

    @Autowired
    Spool(FlashSaleProperties properties, Counters counters, Clock clock) {
        this(properties.spoolDir(), Bounds.DEFAULT, properties.spoolCanary(), counters, clock);
    }

    Spool(Path folder, Bounds bounds, Duration canary, Counters counters, Clock clock) {
        this.folder = folder.toAbsolutePath();
        this.bounds = bounds;
        canaryMs = canary.toMillis();
        this.counters = counters;
        this.clock = clock;
        Opened opened = Opened.begin(this.folder, clock.millis());
        copy = new Copy(opened.good());
        counters.add(copy.size() + opened.damaged(), "seckill_spooled_total");
        counters.add(opened.damaged(), "seckill_spool_damaged_total");
        file = opened.file();
        measure(opened.file());
        cameThroughMs = clock.millis(); // what was found was written anew
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * The record that is kept of this user and product, this one or the one that was there before.
     * Fails with {@link NotKeptException}. Never blocks.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // whatever happens, it ends the one returned
    CompletableFuture<Spooled> keep(Spooled one) {
        CompletableFuture<Spooled> mine = new CompletableFuture<>();
        CompletableFuture<Spooled> before = coming.putIfAbsent(one.key(), mine);
        if (before != null) {
            return before;
        }
        mine.whenComplete((kept, failure) -> coming.remove(one.key(), mine));
        Spooled there = copy.get(one.key());
        if (there != null) {
            mine.complete(there);
        } else if (!mayKeep()) {
            mine.completeExceptionally(new NotKeptException(false));
        } else {
            offer(one.key(), one).thenAccept(kept -> {
                if (kept == Kept.YES) {
                    mine.complete(one);
                } else {
                    mine.completeExceptionally(new NotKeptException(kept == Kept.UNKNOWN));
                }
            });
        }
        return mine;
    }

    private boolean mayKeep() {
        return sound
                && !stopping
                && copy.size() + tasks.size() < bounds.entries()
                && bytes < bounds.bytes();
    }

    /** Ended by an attempt. Comes back after a restart where the disk does not take that. */
    CompletableFuture<Kept> replayed(Spooled one) {
        return offer(one.key(), null).thenApply(kept -> {
            if (kept == Kept.YES) {
                counters.count("seckill_spool_replayed_total");
            }
            return kept;
        });
    }

    /** Ended without one. Comes back likewise. */
    CompletableFuture<Kept> remove(Spooled one, String reason) {
        return offer(one.key(), null).thenApply(kept -> {
            if (kept == Kept.YES) {
                counters.count("seckill_spool_expired_total", reason);
            }
            return kept;
        });
    }

    private CompletableFuture<Kept> offer(String key, @Nullable Spooled one) {
        CompletableFuture<Kept> done = new CompletableFuture<>();
        if (!tasks.offer(new Task(key, one, done))) {
            done.complete(Kept.NO);
        }
        return done;
    }

    /** What is in it. */
    Copy copy() {
        return copy;
    }

    long bytes() {
        return bytes;
    }

    long asideCount() {
        return aside;
    }

    boolean isSound() {
        return sound;
    }

    /** Since the canary, or the start, last came through. */
    long canaryAgeMs() {
        return clock.millis() - cameThroughMs;
    }

    /** The thread is not dead, and came back from the disk within this time. */
    boolean isAlive(Duration within) {
        return thread.isAlive() && System.nanoTime() - turnNs < within.toNanos();
    }

    private void run() {
        canaryAtMs = clock.millis();
        List<Task> batch = new ArrayList<>();
        while (!stopping || !tasks.isEmpty()) {
            turnNs = System.nanoTime();
            try {
                Task first = tasks.poll(TURN_MS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    tasks.drainTo(batch, BATCH - 1);
                    write(batch);
                    batch.clear();
                }
                if (!sound || clock.millis() - canaryAtMs >= canaryMs) {
                    sendCanary();
                }
            } catch (InterruptedException e) {
                break;
            }
        }
        failAll(tasks, Kept.NO);
        if (file != null) {
            file.close();
        }
    }

    private void write(List<Task> batch) {
        SpoolFile open = file;
        if (open == null) {
            failAll(batch, Kept.NO);
            return;
        }
        try {
            batch.forEach(task -> apply(open, task));
            open.commit();
        } catch (RuntimeException | AssertionError e) {
            broken(e);
            failAll(batch, Kept.UNKNOWN);
            return;
        }
        for (Task task : batch) {
            if (task.one() == null) {
                copy.remove(task.key());
            } else {
                copy.put(task.one());
                counters.count("seckill_spooled_total");
            }
        }
        measure(open);
        batch.forEach(task -> task.done().complete(Kept.YES));
    }

    private static void apply(SpoolFile open, Task task) {
        if (task.one() == null) {
            open.remove(task.key());
        } else {
            open.put(task.one());
        }
    }

    private static void failAll(Collection<Task> failed, Kept why) {
        failed.forEach(task -> task.done().complete(why));
    }

    private void measure(SpoolFile open) {
        open.compact();
        bytes = open.bytes();
        aside = open.asideCount();
    }

    private void broken(Throwable e) {
        if (sound) {
            LOG.error(
                    "{} cannot be written; attempts without a shard are BUSY: {}",
                    folder,
                    e.toString());
        }
        sound = false;
        if (file != null) {
            file.close();
            file = null;
        }
    }

    private void sendCanary() {
        canaryAtMs = clock.millis();
        try {
            SpoolFile open = file;
            if (open == null) {
                open = Opened.again(folder, copy.map(), canaryAtMs);
                file = open;
            }
            if (!open.bearsCanary(Long.toString(canaryAtMs))) {
                throw new IllegalStateException("the canary was not there");
            }
            if (!sound) {
                LOG.info("{} works again", folder);
            }
            sound = true;
            cameThroughMs = canaryAtMs;
            measure(open);
        } catch (RuntimeException | AssertionError e) {
            broken(e);
        }
    }

    /** What was taken in is written before it ends. */
    @Override
    public void close() {
        stopping = true;
        tasks.offer(new Task("", null, new CompletableFuture<>())); // it need not wait
        try {
            thread.join(STOP_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }
}
