package io.seckill.contracts;

import java.util.List;
import java.util.function.Supplier;

/**
 * Signs reservations, and refuses those that nobody signed who has a key: {@code KID:MAC}, where
 * MAC is of {@code reservation|ID|PRODUCT|USER|QUANTITY|SHARD|EPOCH|SEQ|RESERVEDATMS}. No field has
 * a {@code |} in it. The first key signs, any of them verifies.
 */
public final class ReservationSigner {

    private static final String BETWEEN = ":"; // no key id has one

    private final Supplier<List<TokenKeyFile.Key>> keys;

    public ReservationSigner(Supplier<List<TokenKeyFile.Key>> keys) {
        this.keys = keys;
    }

    public Reservation sign(Reservation one) {
        TokenKeyFile.Key key = keys.get().get(0);
        return one.signed(key.kid() + BETWEEN + Hmac.of(key, text(one)));
    }

    /** Throws IllegalArgumentException, which says why, for one that is not to be believed. */
    public void check(Reservation one) {
        String signature = one.signature();
        if (signature == null) {
            throw new IllegalArgumentException("the reservation is not signed");
        }
        TokenKeyFile.Key key = keys.get().stream()
                .filter(known -> signature.startsWith(known.kid() + BETWEEN))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the reservation is signed with no key that is known here"));
        String mac = signature.substring(key.kid().length() + BETWEEN.length());
        if (!Hmac.isOf(key, text(one), mac)) {
            throw new IllegalArgumentException(
                    "the reservation's signature is not that of key " + key + " for these fields");
        }
    }

    private static String text(Reservation one) {
        return "reservation|" + one.reservationId()
                + "|" + one.productId()
                + "|" + one.userId()
                + "|" + one.quantity()
                + "|" + one.shard()
                + "|" + one.epoch()
                + "|" + one.seq()
                + "|" + one.reservedAtMs();
    }
}
