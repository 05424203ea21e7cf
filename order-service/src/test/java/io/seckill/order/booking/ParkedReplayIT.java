package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Reservation;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What is parked can be sent again as it is, once what kept it from being an order is mended. */
class ParkedReplayIT extends RealService {

    private static final Duration SOON = Duration.ofSeconds(45);

    @Autowired
    MessageSender sender;

    @AfterEach
    void mend() {
        sql.execute("ALTER TABLE orders DROP CONSTRAINT IF EXISTS no_eve");
    }

    @Test
    void reservation_of_which_the_database_took_no_row_is_replayed_into_an_order() {
        String product = sale(5);
        Reservation bad = reservation(product, "eve", 0);
        sql.execute("ALTER TABLE orders ADD CONSTRAINT no_eve CHECK (reservation_id <> '"
                + bad.reservationId() + "')");
        send(RelayKeys.body(bad));
        String body = parked(bad);

        mend();
        send(body);

        await().atMost(SOON).until(() -> count(product, "UNPAID") == 1);
        assertBooksBalance(product);
    }

    @Test
    void reservation_whose_sale_was_not_known_is_replayed_into_an_order() {
        String product = sale(5);
        Reservation early = reservation(product, "eve", 1);
        send(RelayKeys.body(early));
        String body = parked(early);

        sql.update("INSERT INTO shard_ledger VALUES (?, 1, 5, 0, 1, 0, 'OPEN', 1)", product);
        send(body);

        await().atMost(SOON).until(() -> count(product, "UNPAID") == 1);
        assertBooksBalance(product);
    }

    private void send(String body) {
        assertThat(sender.send(Reservation.TOPIC, List.of(new Outgoing("key", body))))
                .isTrue();
    }

    private String parked(Reservation one) {
        String query = "SELECT body FROM parked_message WHERE message_id = ?";
        await().atMost(SOON)
                .until(() -> !sql.queryForList(query, one.reservationId()).isEmpty());
        return sql.queryForObject(query, String.class, one.reservationId());
    }
}
