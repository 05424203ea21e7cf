package io.seckill.order;

import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.ReservationSigner;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.testkit.KeyFile;

import java.nio.file.Path;
import java.util.List;

/** The relay's part for who sends reservations without it: keys in rotation, signed bodies. */
public final class RelayKeys {

    public static final TokenKeyFile.Key FIRST =
            new TokenKeyFile.Key("k1", "a-secret-of-the-relay-for-tests-only");
    public static final TokenKeyFile.Key SECOND =
            new TokenKeyFile.Key("k2", "another-secret-of-the-relay-for-tests");

    private RelayKeys() {}

    public static Path file() {
        return KeyFile.of(line(FIRST), line(SECOND));
    }

    private static String line(TokenKeyFile.Key key) {
        return key.kid() + " " + key.secret();
    }

    public static String body(Reservation one) {
        return body(one, FIRST);
    }

    public static String body(Reservation one, TokenKeyFile.Key key) {
        return Json.write(new ReservationSigner(() -> List.of(key)).sign(one));
    }
}
