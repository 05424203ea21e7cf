package io.seckill.flashsale.attempt;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import org.springframework.stereotype.Component;

/** Makes reservation ids: sorted by time, and not to be guessed. */
@Component
final class ReservationIds {

    private static final int TIME_DIGITS = 12;
    private static final int RANDOM_BYTES = 10;

    private final SecureRandom random = new SecureRandom();
    private final Clock clock;

    ReservationIds(Clock clock) {
        this.clock = clock;
    }

    String next() {
        byte[] tail = new byte[RANDOM_BYTES];
        random.nextBytes(tail);
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(clock.millis(), TIME_DIGITS) + hex.formatHex(tail);
    }
}
