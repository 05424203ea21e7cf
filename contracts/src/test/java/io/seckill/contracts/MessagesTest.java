package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessagesTest {

    private static final String ID = "0123456789abcdef0123456789abcdef";
    private static final Reservation RESERVATION =
            new Reservation(ID, "518", "alice", 1, 2, 1, 7, 1_763_719_200_000L);
    private static final StockReturn RETURN =
            new StockReturn(ID, "518", "alice", 1, 2, 1, StockReturn.Action.BURN, "LEDGER_FULL");
    private static final OrderEvent EVENT = new OrderEvent(
            ID, "518", "alice", 5, OrderEvent.Status.ORDERED, "1".repeat(24), 9, null);

    @Test
    void every_message_survives_the_wire() {
        assertThat(Json.read(Json.write(RESERVATION), Reservation.class)).isEqualTo(RESERVATION);
        assertThat(Json.read(Json.write(RETURN), StockReturn.class)).isEqualTo(RETURN);
        assertThat(Json.read(Json.write(EVENT), OrderEvent.class)).isEqualTo(EVENT);
    }

    @Test
    void extra_fields_are_ignored() {
        String body = Json.write(RESERVATION).replace("{", "{\"price\":1,");
        assertThat(Json.read(body, Reservation.class)).isEqualTo(RESERVATION);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"quantity\":1;\"quantity\":0",
                "\"quantity\":1;\"quantity\":-1",
                "\"quantity\":1;\"quantity\":1.5",
                "\"quantity\":1;\"quantity\":null",
                "\"quantity\":1;\"quantity\":[]",
                "\"quantity\":1;\"quantity\":2147483648",
                "\"quantity\":1,;",
                "\"seq\":7;\"seq\":0",
                "\"seq\":7,;",
                "\"epoch\":1;\"epoch\":0",
                "\"518\";\"0518\"",
                "\"518\";\"518}:stock\"",
                "\"alice\";\"a|b\"",
                "\"alice\";\"\"",
                "0123456789abcdef0123456789abcdef;0123",
            })
    void damaged_reservation_is_refused(String good, String bad) {
        String body = Json.write(RESERVATION);
        assertThat(body).contains(good);
        String damaged = body.replace(good, bad == null ? "" : bad);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.read(damaged, Reservation.class));
    }

    @Test
    void text_that_is_no_json_is_refused() {
        for (String text : new String[] {"", "null", "[]", "{", Json.write(RESERVATION) + "x"}) {
            assertThatIllegalArgumentException()
                    .as(text)
                    .isThrownBy(() -> Json.read(text, Reservation.class));
        }
    }
}
