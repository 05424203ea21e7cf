package io.seckill.stock;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;

/**
 * A step repeated for ever on one thread of its own.
 *
 * <p>A step that fails is tried again after the period, and logged only when the failure changes. A
 * step that hangs, or an error that ends the thread, turns health red after the patience; a failing
 * step does not, for what it needs may be away.
 */
public final class Loop implements SmartLifecycle, HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final int STOP_WAIT_S = 5;

    private final String name;
    private final Duration period;
    private final Duration patience;
    private final Runnable step;
    private volatile long beatNanos = System.nanoTime();
    private volatile ScheduledExecutorService thread;
    private String failure = "";

    public Loop(String name, Duration period, Duration patience, Runnable step) {
        this.name = name;
        this.period = period;
        this.patience = patience;
        this.step = step;
    }

    /** The beat is set after every turn that ends, well or not: red is a turn that never ends. */
    private void turn() {
        String outcome = "";
        try {
            step.run();
        } catch (RuntimeException e) {
            outcome = e.toString();
        } catch (Error e) {
            LOG.error("{} is broken; restart the service", name, e);
            throw e;
        }
        if (!outcome.equals(failure)) {
            LOG.warn("{}: {}", name, outcome.isEmpty() ? "works again" : outcome);
        }
        failure = outcome;
        beatNanos = System.nanoTime();
    }

    @Override
    public Health health() {
        long silentMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beatNanos);
        Health.Builder health = silentMs > patience.toMillis() ? Health.down() : Health.up();
        return health.withDetail("silentMs", silentMs).build();
    }

    @Override
    public void start() {
        thread = Executors.newSingleThreadScheduledExecutor(run -> new Thread(run, name));
        thread.scheduleWithFixedDelay(this::turn, 0, period.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Lets the turn in hand end. */
    @Override
    public void stop() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_WAIT_S, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null && !thread.isShutdown();
    }
}
