package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.order.RealService;
import io.seckill.order.RelayKeys;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What the relay has not signed is no reservation, whatever it says. */
class ForgedReservationIT extends RealService {

    private static final String UNSIGNED = "the reservation is not signed";
    private static final String UNKNOWN =
            "the reservation is signed with no key that is known here";
    private static final String WRONG =
            "the reservation's signature is not that of key k1 for these fields";
    private static final TokenKeyFile.Key STRANGER =
            new TokenKeyFile.Key("k9", "a-secret-that-nobody-has-given-out");
    private static final Set<String> ENDS = Set.of(
            "seckill_ordered_total",
            "seckill_rejected_total",
            "seckill_repeated_total",
            "seckill_dropped_total",
            "seckill_deferred_total");

    @Autowired
    MessageSender sender;

    @Test
    void forged_or_altered_one_is_parked_and_counted_and_costs_its_buyer_nothing() {
        String product = sale(5, 5);
        String other = sale(5);
        Reservation genuine = reservation(product, "alice", 0);
        Map<String, String> forged = forgeries(genuine, other);
        forged.putAll(alterations(genuine, other));
        Metrics before = metrics();

        forged.keySet().forEach(this::send);

        forged.forEach((body, why) -> await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(reasons(body)).as(body).containsExactly(why)));
        Metrics after = metrics();
        assertThat(after.objections()).isEmpty();
        assertThat(after.sum("seckill_parked_total") - before.sum("seckill_parked_total"))
                .isEqualTo(after.sum("seckill_reservations_total")
                        - before.sum("seckill_reservations_total"))
                .isEqualTo(forged.size());
        assertThat(ENDS).allMatch(name -> after.sum(name) == before.sum(name));
        assertNothingCameOf(product);
        assertNothingCameOf(other);

        send(RelayKeys.body(genuine));
        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "UNPAID") == 1);
        assertBooksBalance(product);
    }

    @Test
    void one_signed_with_any_key_of_the_file_becomes_an_order() {
        String product = sale(5);

        send(RelayKeys.body(reservation(product, "alice", 0), RelayKeys.FIRST));
        send(RelayKeys.body(reservation(product, "bob", 0), RelayKeys.SECOND));

        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "UNPAID") == 2);
        assertBooksBalance(product);
    }

    /** Body to why it is parked. */
    private static Map<String, String> forgeries(Reservation genuine, String other) {
        String body = RelayKeys.body(genuine);
        String signature = (String) fields(body).get("signature");
        String ofAnother =
                (String) fields(RelayKeys.body(reservation(other, "alice", 0))).get("signature");
        Map<String, String> forged = new LinkedHashMap<>();
        forged.put(Json.write(genuine), UNSIGNED);
        forged.put(body.replace("\"signature\"", "\"notSignature\""), UNSIGNED);
        forged.put(RelayKeys.body(genuine, STRANGER), UNKNOWN);
        forged.put(RelayKeys.body(genuine, new TokenKeyFile.Key("k1", STRANGER.secret())), WRONG);
        forged.put(
                RelayKeys.body(genuine, new TokenKeyFile.Key("k1", RelayKeys.SECOND.secret())),
                WRONG);
        forged.put(body.replace(signature, signature.substring(0, signature.length() - 1)), WRONG);
        forged.put(body.replace(signature, ofAnother), WRONG);
        return forged;
    }

    /** One for each field that is signed. */
    private static Map<String, String> alterations(Reservation genuine, String other) {
        String body = RelayKeys.body(genuine);
        Map<String, Object> others = Map.of(
                "reservationId",
                reservation(other, "alice", 0).reservationId(),
                "productId",
                other,
                "userId",
                "eve",
                "quantity",
                2,
                "shard",
                1,
                "epoch",
                2,
                "seq",
                genuine.seq() + 1,
                "reservedAtMs",
                genuine.reservedAtMs() + 1);
        Map<String, String> altered = new LinkedHashMap<>();
        for (String field : fields(body).keySet()) {
            if (!field.equals("signature")) {
                Map<String, Object> fields = fields(body);
                assertThat(fields.put(field, others.get(field))).isNotEqualTo(fields.get(field));
                altered.put(Json.write(fields), WRONG);
            }
        }
        return altered;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> fields(String body) {
        return Json.read(body, LinkedHashMap.class);
    }

    private void assertNothingCameOf(String product) {
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM orders WHERE product_id = ?", Long.class, product))
                .isZero();
        assertThat(sold(product)).isZero();
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM outbox_log WHERE body LIKE CONCAT('%\"', ?, '\"%')",
                        Long.class, product))
                .isZero();
    }

    private List<String> reasons(String body) {
        return sql.queryForList(
                "SELECT reason FROM parked_message WHERE body = ?", String.class, body);
    }

    private void send(String body) {
        assertThat(sender.send(Reservation.TOPIC, List.of(new Outgoing("key", body))))
                .isTrue();
    }
}
