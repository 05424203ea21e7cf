package io.seckill.flashsale.attempt;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import org.springframework.stereotype.Component;

/**
 * Makes reservation ids: sorted by time, and not to be guessed. One that was asked for under a key
 * ends in digits of it, so that whoever holds the reservation can be asked whether it was that key.
 */
@Component
final class ReservationIds {

    private static final int TIME_DIGITS = 12;
    private static final int TAIL_BYTES = 10;
    private static final int KEY_BYTES = 6;

    private final SecureRandom random = new SecureRandom();
    private final Clock clock;

    ReservationIds(Clock clock) {
        this.clock = clock;
    }

    /** ending: of {@link #ending}, or empty. */
    String next(String ending) {
        byte[] tail = new byte[TAIL_BYTES - ending.length() / 2];
        random.nextBytes(tail);
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(clock.millis(), TIME_DIGITS) + hex.formatHex(tail) + ending;
    }

    /**
     * What the ids of this very wish end in; empty without a key. Of 48 bits: only a user's own
     * keys for one product can meet, and then he is told of the reservation that he holds.
     */
    static String ending(String userId, String productId, int quantity, String key) {
        if (key.isEmpty()) {
            return "";
        }
        String wish = userId + '|' + productId + '|' + quantity + '|' + key;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(wish.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
