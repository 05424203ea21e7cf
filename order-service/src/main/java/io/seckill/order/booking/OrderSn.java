package io.seckill.order.booking;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.springframework.stereotype.Component;

/**
 * Makes order numbers: 13 digits of milliseconds, 2 of the node, 3 of a counter, 6 of the user's
 * gene.
 *
 * <p>Numbers of one node only grow: when the clock steps back, or more than 1,000 are wanted in one
 * millisecond, the next millisecond is borrowed. A restart after the clock went back, or two
 * instances with one node number, may repeat a number; the primary key then refuses it and the
 * batch comes again.
 */
@Component
final class OrderSn {

    private static final int PER_MS = 1_000;
    private static final int GENES = 1_000_000;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,6}");

    private final int node;
    private final Clock clock;
    private long lastMs;
    private int counter;

    OrderSn(OrderProperties properties, Clock clock) {
        this.node = properties.node();
        this.clock = clock;
    }

    synchronized String next(String userId) {
        long nowMs = clock.millis();
        if (nowMs > lastMs) {
            lastMs = nowMs;
            counter = 0;
        } else if (++counter == PER_MS) {
            lastMs++;
            counter = 0;
        }
        return "%013d%02d%03d%s".formatted(lastMs, node, counter, gene(userId));
    }

    /** Lets a query by user and one by order number find the same table: both know the gene. */
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
