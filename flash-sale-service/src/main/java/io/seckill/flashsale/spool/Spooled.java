package io.seckill.flashsale.spool;

import io.seckill.contracts.Ids;
import io.seckill.flashsale.attempt.AllDownListener.Wish;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * An attempt that waits for a shard, as a line: {@code CRC|id|quantity|ending|expiresAtMs}. The
 * checksum is also of the key, so that no record is taken for another user's.
 *
 * @param idEnding what the ids of this wish end in, empty without an Idempotency-Key
 * @param expiresAtMs by this host's clock; from then on it is not made any more
 */
record Spooled(
        String productId,
        String userId,
        String reservationId,
        int quantity,
        String idEnding,
        long expiresAtMs) {

    private static final int FIELDS = 5;

    static Spooled of(Wish wish, long expiresAtMs) {
        return new Spooled(
                wish.productId(),
                wish.userId(),
                wish.reservationId(),
                wish.quantity(),
                wish.idEnding(),
                expiresAtMs);
    }

    /** Throws IllegalArgumentException for what is not as it was written. */
    static Spooled of(String key, String text) {
        String[] fields = text.split("\\|", -1);
        String[] names = key.split("\\|", -1);
        if (fields.length != FIELDS
                || names.length != 2
                || !fields[0].equals(crc(key, text.substring(fields[0].length())))) {
            throw new IllegalArgumentException("checksum does not fit");
        }
        if (!Ids.isProduct(names[0]) || !Ids.isUser(names[1]) || !Ids.isReservation(fields[1])) {
            throw new IllegalArgumentException("not an attempt");
        }
        return new Spooled(
                names[0],
                names[1],
                fields[1],
                Integer.parseInt(fields[2]),
                fields[3],
                Long.parseLong(fields[4]));
    }

    static String key(String productId, String userId) {
        return productId + '|' + userId;
    }

    String key() {
        return key(productId, userId);
    }

    String text() {
        String rest = "|" + reservationId + '|' + quantity + '|' + idEnding + '|' + expiresAtMs;
        return crc(key(), rest) + rest;
    }

    private static String crc(String key, String rest) {
        CRC32 crc = new CRC32();
        crc.update((key + rest).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
