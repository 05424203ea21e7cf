package io.seckill.common;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;

/**
 * One thread that does its step for as long as the service runs.
 *
 * <p>A step answers whether there is more. If so it runs again at once, else after the idle time or
 * a nudge. When it throws, the pause doubles from 100 ms to 2 s and nudges do not shorten it, for
 * what it needs is away (a loop that others wait for is {@linkplain #prompt prompt}); the first
 * failure and the recovery are logged, what is between is not. A loop that {@linkplain #gathering
 * gathers} runs for the first nudge at once and for those that come soon after it together: a round
 * costs nearly the same for one as for many. It works a ninth of the time at most, so where rounds
 * take long, for many wait for the same two cores, it gathers more, up to a bound that no buyer
 * sees.
 *
 * <p>Health is red when an error has ended the thread or a step has not come back for a minute. A
 * failing step is no reason: restarting this service would not bring back what is away.
 */
public final class Loop implements SmartLifecycle, HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 2_000;
    private static final long STOP_WAIT_MS = 8_000; // below the 10 s a phase has to stop
    private static final int REST_PER_ROUND = 8;
    private static final Duration APART_MAX = Duration.ofMillis(100);

    private final String name;
    private final long idleMs;
    private final long longestPauseMs;
    private final Duration patience;
    private final long leastApartNs;
    private final BooleanSupplier step;
    private final BlockingQueue<Boolean> nudges = new ArrayBlockingQueue<>(1);
    private volatile CountDownLatch end = new CountDownLatch(0);
    private volatile long dueNs;
    private long startedNs; // the latest round; of the thread
    private long tookNs; // likewise
    private volatile boolean failing;
    private volatile Thread thread = new Thread(); // that never started

    /** Repeats {@code step}: at once while it answers true, else after {@code idle}. */
    public Loop(String name, Duration idle, BooleanSupplier step) {
        this(name, idle, PATIENCE, Duration.ZERO, step);
    }

    Loop(String name, Duration idle, Duration patience, Duration apart, BooleanSupplier step) {
        this(name, idle, LONGEST_PAUSE_MS, patience, apart, step);
    }

    private Loop(
            String name,
            Duration idle,
            long longestPauseMs,
            Duration patience,
            Duration apart,
            BooleanSupplier step) {
        this.name = name;
        this.idleMs = idle.toMillis();
        this.longestPauseMs = longestPauseMs;
        this.patience = patience;
        leastApartNs = apart.toNanos();
        this.step = step;
    }

    /** Repeats {@code step} with {@code pause} between two rounds. */
    public static Loop every(String name, Duration pause, Runnable step) {
        return new Loop(name, pause, once(step));
    }

    /** The same, and with no longer a pause while it fails. */
    public static Loop prompt(String name, Duration pause, Runnable step) {
        return new Loop(name, pause, pause.toMillis(), PATIENCE, Duration.ZERO, once(step));
    }

    private static BooleanSupplier once(Runnable step) {
        return () -> {
            step.run();
            return false;
        };
    }

    /**
     * The same, but of two rounds for which it is nudged the starts are that far apart at least, and
     * up to {@link #APART_MAX} where a round takes long.
     */
    public static Loop gathering(String name, Duration idle, Duration apart, BooleanSupplier step) {
        return new Loop(name, idle, PATIENCE, apart, step);
    }

    /** There is work. Never blocks; any number of nudges during a round make one more round. */
    public void nudge() {
        nudges.offer(true);
    }

    @Override
    public void start() {
        CountDownLatch latch = new CountDownLatch(1);
        dueNs = System.nanoTime();
        thread = new Thread(() -> run(latch), name);
        thread.setDaemon(true);
        end = latch;
        thread.start();
    }

    private void run(CountDownLatch latch) {
        try {
            for (long pauseMs = 0; latch.getCount() > 0; rest(pauseMs, latch)) {
                pauseMs = round(pauseMs);
                dueNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMs);
            }
        } catch (InterruptedException e) {
            LOG.warn("{} was interrupted and ends", name);
        } catch (Error e) {
            LOG.error("{} is dead; restart the service", name, e);
        }
    }

    /** The pause to make: none when there is more, a longer one after each failure in a row. */
    private long round(long lastPauseMs) {
        startedNs = System.nanoTime();
        try {
            boolean more = step.getAsBoolean();
            tookNs = System.nanoTime() - startedNs;
            if (failing) {
                LOG.info("{} works again", name);
            }
            failing = false;
            return more ? 0 : idleMs;
        } catch (RuntimeException e) {
            if (failing) {
                return Math.min(longestPauseMs, lastPauseMs * 2);
            }
            LOG.warn("{} fails and is tried again until it works: {}", name, e.toString());
            failing = true;
            return FIRST_PAUSE_MS;
        }
    }

    private void rest(long ms, CountDownLatch latch) throws InterruptedException {
        if (failing) {
            latch.await(ms, TimeUnit.MILLISECONDS);
        } else if (nudges.poll(ms, TimeUnit.MILLISECONDS) != null && ms > 0) {
            latch.await(startedNs + apartNs() - System.nanoTime(), TimeUnit.NANOSECONDS);
            nudges.clear(); // the round that begins now is theirs too
        }
    }

    private long apartNs() {
        long restNs = Math.min(APART_MAX.toNanos(), tookNs * (1 + REST_PER_ROUND));
        return leastApartNs == 0 ? 0 : Math.max(leastApartNs, restNs);
    }

    /** Makes the round at hand the last and does not wait for it; a step may call it too. */
    public void finish() {
        end.countDown();
        nudge();
    }

    /** Waits for the round at hand, not for ever: what it leaves undone is done after a restart. */
    @Override
    public void stop() {
        finish();
        try {
            thread.join(STOP_WAIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }

    @Override
    public boolean isRunning() {
        return end.getCount() > 0;
    }

    /** After the sender has started, and stopped before it. */
    @Override
    public int getPhase() {
        return 1;
    }

    @Override
    public Health health() {
        boolean late = System.nanoTime() - dueNs > patience.toNanos();
        boolean broken = isRunning() && (late || thread.getState() == Thread.State.TERMINATED);
        return (broken ? Health.down() : Health.up())
                .withDetail("failing", failing)
                .build();
    }
}
