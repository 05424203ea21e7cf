package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderControllerIT extends RealService {

    @Test
    void order_is_shown_to_its_buyer_with_times_in_utc_and_the_sum() {
        String product = sale(5);
        Reservation two = new Reservation(
                reservation(product, "u", 0).reservationId(), product, "alice", 2, 0, 1, 1, 5);
        handler.handle(List.of(two));
        Map<String, Object> row =
                sql.queryForMap("SELECT * FROM orders WHERE product_id = ?", product);

        Answer answer = get("/" + row.get("order_sn"), "alice");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "orderSn",
                        row.get("order_sn"),
                        "productId",
                        product,
                        "name",
                        "Phone",
                        "quantity",
                        2,
                        "amountCents",
                        2 * PRICE,
                        "status",
                        "UNPAID",
                        "createdAt",
                        Instant.ofEpochMilli((long) row.get("created_at_ms")).toString(),
                        "payBy",
                        Instant.ofEpochMilli((long) row.get("pay_by_ms")).toString()));
    }

    @Test
    void list_has_own_orders_newest_first_without_the_rejected() {
        String buyer = "lister-" + sale(1);
        String first = order(sale(5), buyer).orderSn();
        String second = order(sale(5), buyer).orderSn();
        handler.handle(List.of(reservation(sale(0, 1), buyer, 0)));
        order(sale(5), "somebody");

        List<?> listed = (List<?>) get("", buyer).body().get("orders");

        assertThat(listed.stream()
                        .map(one -> (Object) ((Map<?, ?>) one).get("orderSn"))
                        .toList())
                .isEqualTo(List.of(second, first));
        assertThat(get("", "nobody-" + buyer).body()).isEqualTo(Map.of("orders", List.of()));
    }

    @Test
    void order_of_somebody_else_does_not_exist() {
        String product = sale(5);
        String sn = order(product, "alice").orderSn();
        for (String path : List.of("/" + sn, "/" + "9".repeat(24), "/1", "/%27%20OR%201=1")) {
            get(path, "bob").assertRefused(404, "NO_SUCH_ORDER");
            pay(path, "bob").assertRefused(404, "NO_SUCH_ORDER");
        }
        assertThat(count(product, "UNPAID")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a|b", "alice bob", "{x}"})
    void nobody_named_by_the_edge_is_refused(String user) {
        String sn = order(sale(5), "alice").orderSn();
        get("", user).assertRefused(401, "UNAUTHENTICATED");
        get("/" + sn, user).assertRefused(401, "UNAUTHENTICATED");
        pay("/" + sn, user).assertRefused(401, "UNAUTHENTICATED");
    }

    private Answer get(String path, String user) {
        return Answer.to("GET", port, "/seckill/orders" + path, user);
    }

    private Answer pay(String path, String user) {
        return Answer.to("POST", port, "/seckill/orders" + path + "/pay", user);
    }
}
