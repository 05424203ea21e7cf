package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import java.time.Instant;
import java.util.ArrayList;
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

        assertThat(numbers(get("", buyer).body())).isEqualTo(List.of(second, first));
        assertThat(get("", "nobody-" + buyer).body()).isEqualTo(Map.of("orders", List.of()));
    }

    /** Some of one millisecond, and new ones that come in between: none twice, none left out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 100})
    void pages_follow_each_other_without_a_gap_and_end(int limit) {
        String buyer = "pager-" + sale(1);
        List<String> newestFirst = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            newestFirst.add(0, order(sale(1), buyer).orderSn());
        }
        sql.update(
                "UPDATE orders SET created_at_ms = ? WHERE order_sn IN (?, ?, ?)",
                sql.queryForObject(
                        "SELECT created_at_ms FROM orders WHERE order_sn = ?",
                        Long.class,
                        newestFirst.get(3)),
                newestFirst.get(3),
                newestFirst.get(4),
                newestFirst.get(5));

        List<String> seen = new ArrayList<>();
        Map<String, Object> page = get("?limit=" + limit, buyer).body();
        seen.addAll(numbers(page));
        for (int pages = 0; page.containsKey("next") && pages < 8; pages++) {
            order(sale(1), buyer);
            page = get("?limit=" + limit + "&before=" + page.get("next"), buyer).body();
            assertThat(numbers(page)).hasSizeBetween(1, limit);
            seen.addAll(numbers(page));
        }

        assertThat(page).doesNotContainKey("next");
        assertThat(seen).isEqualTo(newestFirst);
    }

    @Test
    void list_without_parameters_has_the_newest_hundred_and_says_where_it_goes_on() {
        setLimit("100000");
        String buyer = "lister-" + sale(1);
        for (int n = 0; n < 101; n++) {
            handler.handle(List.of(reservation(sale(1), buyer, 0)));
        }
        setLimit("500");

        Map<String, Object> newest = get("", buyer).body();

        assertThat(numbers(newest)).hasSize(100);
        assertThat(newest).containsOnlyKeys("orders", "next");
        Map<String, Object> rest = get("?before=" + newest.get("next"), buyer).body();
        assertThat(rest).containsOnlyKeys("orders");
        assertThat(numbers(rest)).hasSize(1).doesNotContainAnyElementsOf(numbers(newest));
    }

    @Test
    void place_in_somebody_else_s_orders_shows_none_of_them() {
        String other = "other-" + sale(1);
        order(sale(1), other);
        order(sale(1), other);
        Object next = get("?limit=1", other).body().get("next");

        assertThat(get("?before=" + next, "nobody-" + other).body())
                .isEqualTo(Map.of("orders", List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=101",
                "limit=-1",
                "limit=1.5",
                "limit=",
                "limit=99999999999",
                "before=",
                "before=1",
                "before=x-111111111111111111111111",
                "before=1-11111111111111111111111",
                "before=999999999999999-111111111111111111111111",
                "before=1%27-111111111111111111111111"
            })
    void page_that_is_none_is_malformed(String query) {
        get("?" + query, "alice").assertRefused(400, "BAD_REQUEST");
    }

    private static List<String> numbers(Map<String, Object> page) {
        return ((List<?>) page.get("orders"))
                .stream().map(one -> (String) ((Map<?, ?>) one).get("orderSn")).toList();
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
