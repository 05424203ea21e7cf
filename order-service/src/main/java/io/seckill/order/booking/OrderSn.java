package io.seckill.order.booking;

import io.seckill.order.booking.WorkerLease.Span;
import java.nio.charset.StandardCharsets;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.stereotype.Component;

/**
 * Makes order numbers: 13 digits of milliseconds, 2 of the worker, 3 of a counter, 6 of the user's
 * gene.
 *
 * <p>No two are the same, whatever instances make them: each has a worker of its own for the
 * milliseconds of its span ({@link WorkerLease}), and within that they only grow. A clock that goes
 * back is not followed: the counter goes on in the millisecond at hand, and into the next one after
 * 1,000. What would lie beyond the span is refused. That they are a primary key is the last guard.
 */
@Component
final class OrderSn {

    private static final int PER_MS = 1_000;
    private static final int GENES = 1_000_000;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,6}");

    private final LongFunction<Span> spans;
    private int worker = -1;
    private long fromMs;
    private long lastMs;
    private int counter;

    @Autowired
    OrderSn(WorkerLease lease) {
        this(lease::span);
    }

    OrderSn(LongFunction<Span> spans) {
        this.spans = spans;
    }

    /** Throws when the database, which lends the worker, is away: then nothing is written. */
    synchronized String next(String userId) {
        Span span = spans.apply(lastMs);
        if (span.worker() != worker || span.fromMs() != fromMs) {
            worker = span.worker();
            fromMs = span.fromMs();
            lastMs = fromMs - 1;
        }
        if (span.nowMs() > lastMs) {
            lastMs = span.nowMs();
            counter = 0;
        } else if (++counter == PER_MS) {
            lastMs++;
            counter = 0;
        }
        if (lastMs >= span.untilMs()) {
            throw new TransientDataAccessResourceException(
                    "no order numbers are left to worker " + worker);
        }
        return "%013d%02d%03d%s".formatted(lastMs, worker, counter, gene(userId));
    }

    /** A user and an order number both tell it: it names the database once there are several. */
    static String gene(String userId) {
        String tail = userId.substring(Math.max(0, userId.length() - 6));
        if (DIGITS.matcher(tail).matches()) {
            return "0".repeat(6 - tail.length()) + tail;
        }
        CRC32 crc = new CRC32();
        crc.update(userId.getBytes(StandardCharsets.UTF_8));
        return "%06d".formatted(crc.getValue() % GENES);
    }
}
