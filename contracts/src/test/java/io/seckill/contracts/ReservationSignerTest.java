package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReservationSignerTest {

    private static final TokenKeyFile.Key FIRST =
            new TokenKeyFile.Key("k1", "a-secret-of-the-relay-for-tests-only");
    private static final TokenKeyFile.Key SECOND =
            new TokenKeyFile.Key("k.2", "another-secret-of-the-relay-for-tests");
    private static final ReservationSigner SIGNER = signer(FIRST, SECOND);
    private static final Reservation PLAIN = new Reservation(
            "0193a1b2c3d40123456789abcdef0123", "518", "alice", 2, 1, 1, 17, 1_764_000_000_123L);

    /** The example was made with Python's hmac. */
    @Test
    void example_is_what_is_signed_and_verifies() {
        Reservation example = Json.read(
                Examples.text(Path.of("examples/reservation/valid/signed.json")),
                Reservation.class);

        assertThat(SIGNER.sign(PLAIN)).isEqualTo(example);
        assertThatCode(() -> SIGNER.check(example)).doesNotThrowAnyException();
    }

    @Test
    void any_key_verifies_what_it_signed_as_the_first() {
        assertThatCode(() -> SIGNER.check(signer(SECOND, FIRST).sign(PLAIN)))
                .doesNotThrowAnyException();
        assertRefused("no key that is known", signer(FIRST), signer(SECOND).sign(PLAIN));
    }

    @ParameterizedTest
    @CsvSource({
        "not signed,",
        "no key that is known, ''",
        "no key that is known, k1",
        "no key that is known, k2:00",
        "no key that is known, :00",
        "not that of key k1, k1:",
        "not that of key k1, k1:MAC0",
        "not that of key k1, k1: MAC",
        "not that of key k1, k1:k1:MAC",
        "not that of key k.2, k.2:MAC",
    })
    void signature_of_another_shape_or_key_is_refused(String why, String signature) {
        String mac = SIGNER.sign(PLAIN).signature().substring("k1:".length());
        Reservation forged =
                signature == null ? PLAIN : PLAIN.signed(signature.replace("MAC", mac));
        assertRefused(why, SIGNER, forged);
    }

    private static void assertRefused(String why, ReservationSigner signer, Reservation forged) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> signer.check(forged))
                .withMessageContaining(why)
                .withMessageNotContaining(FIRST.secret())
                .withMessageNotContaining(SECOND.secret());
    }

    private static ReservationSigner signer(TokenKeyFile.Key... keys) {
        return new ReservationSigner(() -> List.of(keys));
    }
}
