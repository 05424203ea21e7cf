package io.seckill.flashsale;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that does the same turn over and over, with a pause between.
 *
 * <p>A turn that throws is tried again after a pause that grows from 100 ms to 2 s, and is logged
 * once when it begins to fail and once when it works again. Nothing but {@link #stop} ends the
 * loop; {@link #isBroken} tells when an Error did, or when a turn never came back.
 */
final class Worker {

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 2_000;
    private static final long LONGEST_TURN_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STOP_WAIT_MS = 8_000;

    private final String name;
    private final Runnable turn;
    private final long intervalMs;
    private volatile boolean running;
    private volatile long turnedAtNs;
    private Thread thread;
    private long pauseMs = FIRST_PAUSE_MS;
    private boolean failing;

    /** {@code intervalMs} 0: no pause between turns that work. */
    Worker(String name, Runnable turn, long intervalMs) {
        this.name = name;
        this.turn = turn;
        this.intervalMs = intervalMs;
    }

    void start() {
        running = true;
        turnedAtNs = System.nanoTime();
        thread = new Thread(this::loop, name);
        thread.start();
    }

    /** Waits for the turn at hand, not for ever: what it leaves undone is done after a restart. */
    void stop() {
        running = false;
        try {
            thread.join(STOP_WAIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }

    boolean isRunning() {
        return running;
    }

    boolean isBroken() {
        boolean stuck = System.nanoTime() - turnedAtNs > LONGEST_TURN_NS;
        return running && (stuck || !thread.isAlive());
    }

    private void loop() {
        while (running) {
            long waitMs = turn();
            turnedAtNs = System.nanoTime();
            pause(waitMs);
        }
    }

    /** Does one turn and says how long to wait before the next. */
    private long turn() {
        try {
            turn.run();
            if (failing) {
                LOG.info("{} works again", name);
            }
            failing = false;
            pauseMs = FIRST_PAUSE_MS;
            return intervalMs;
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn("{} fails and is tried again until it works: {}", name, e.toString());
            }
            failing = true;
            long waitMs = pauseMs;
            pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
            return waitMs;
        }
    }

    private void pause(long ms) {
        try {
            Thread.sleep(running ? ms : 0);
        } catch (InterruptedException e) {
            running = false;
        }
    }
}
