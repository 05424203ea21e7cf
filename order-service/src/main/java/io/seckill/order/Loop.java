package io.seckill.order;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;

/**
 * One thread that does its work for as long as the service runs.
 *
 * <p>Work answers whether there is more. If so it runs again at once, else after {@code idleMs} or
 * a nudge. When it throws, the pause doubles up to {@link #LONGEST_PAUSE_MS} and nudges do not
 * shorten it; the first failure and the recovery are logged. Health is red when the thread has died
 * or has been in one round for {@link #STUCK_MS}.
 */
final class Loop implements SmartLifecycle, HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final long LONGEST_PAUSE_MS = 5_000;
    private static final long STUCK_MS = 60_000;
    private static final long STOP_LIMIT_MS = 8_000;

    private final String name;
    private final long idleMs;
    private final BooleanSupplier work;
    private final Semaphore nudges = new Semaphore(0);
    private volatile CountDownLatch stopping;
    private volatile boolean running;
    private volatile boolean failing;
    private volatile long finishedNs;
    private volatile Thread thread;

    Loop(String name, long idleMs, BooleanSupplier work) {
        this.name = name;
        this.idleMs = idleMs;
        this.work = work;
    }

    /** There is work. Never blocks; nudges during a round add up to one more round. */
    void nudge() {
        nudges.release();
    }

    @Override
    public void start() {
        running = true;
        stopping = new CountDownLatch(1);
        finishedNs = System.nanoTime();
        thread = new Thread(this::run, name);
        thread.start();
    }

    private void run() {
        long pauseMs = 0;
        while (running) {
            nudges.drainPermits();
            pauseMs = round(pauseMs);
            finishedNs = System.nanoTime();
            await(pauseMs);
        }
    }

    /** The pause to make: none when there is more, a longer one after each failure in a row. */
    private long round(long lastPauseMs) {
        try {
            boolean more = work.getAsBoolean();
            if (failing) {
                LOG.info("{} works again", name);
            }
            failing = false;
            return more ? 0 : idleMs;
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("{} fails and is tried again until it works: {}", name, e.toString());
            }
            failing = true;
            return Math.min(LONGEST_PAUSE_MS, Math.max(idleMs, lastPauseMs * 2));
        }
    }

    private void await(long ms) {
        try {
            if (failing) {
                stopping.await(ms, TimeUnit.MILLISECONDS);
            } else {
                nudges.tryAcquire(ms, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            running = false;
        }
    }

    @Override
    public void stop() {
        running = false;
        stopping.countDown();
        nudges.release();
        try {
            thread.join(STOP_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the sender has started, and stopped before it. */
    @Override
    public int getPhase() {
        return 1;
    }

    @Override
    public Health health() {
        long roundMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - finishedNs);
        boolean turning = thread != null && thread.isAlive() && roundMs < STUCK_MS;
        return (turning ? Health.up() : Health.down()).withDetail("failing", failing).build();
    }
}
