package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.flashsale.Hop;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;

class IdempotencyKeyIT extends Hop {

    private static final String KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324";

    @Test
    void same_key_is_given_the_same_202_again_also_when_nothing_is_left() {
        sell(1);
        Answer first = keyed("alice", "1", KEY);
        assertThat(first.status()).isEqualTo(202);
        assertThat(deduct("bob").text("code")).isEqualTo("SOLD_OUT");

        for (int i = 0; i < 3; i++) {
            Answer again = keyed("alice", "1", KEY);
            assertThat(again.status()).isEqualTo(202);
            assertThat(again.body()).isEqualTo(first.body());
        }
    }

    @Test
    void another_key_or_none_or_another_wish_is_told_already_bought() {
        sell(9, 9, 9);
        String id = keyed("alice", "1", KEY).text("reservationId");

        for (Answer other : new Answer[] {
            keyed("alice", "1", "another"), deduct("alice"), keyed("alice", "2", KEY)
        }) {
            assertThat(other.status()).isEqualTo(409);
            assertThat(other.text("code")).isEqualTo("ALREADY_BOUGHT");
            assertThat(other.text("reservationId")).isEqualTo(id);
        }
    }

    @Test
    void key_of_a_user_is_not_another_user_s_nor_that_of_an_attempt_without_one() {
        sell(9, 9, 9);
        assertThat(deduct("alice").status()).isEqualTo(202);
        assertThat(keyed("alice", "1", KEY).status()).isEqualTo(409);
        assertThat(keyed("bob", "1", KEY).text("reservationId"))
                .isNotEqualTo(keyed("carol", "1", KEY).text("reservationId"));
    }

    @Test
    void key_that_is_none_takes_no_unit() {
        sell(1);
        for (String bad : new String[] {"a b", "!", "x".repeat(65), "\"quoted\""}) {
            assertThat(keyed("alice", "1", bad).status()).isEqualTo(400);
        }
        assertThat(deduct("alice").status()).isEqualTo(202);
    }

    private Answer keyed(String user, String quantity, String key) {
        return send(request("deduct", user)
                .header(EdgeHeaders.QUANTITY, quantity)
                .header(EdgeHeaders.IDEMPOTENCY_KEY, key)
                .POST(HttpRequest.BodyPublishers.noBody()));
    }
}
