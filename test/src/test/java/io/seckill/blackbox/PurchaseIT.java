package io.seckill.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One buyer's walk through the edge, and each refusal it may meet. */
class PurchaseIT {

    private final Copy copy = new Copy();
    private final Shop shop = new Shop(copy);
    private final String productId = copy.newProduct();

    @Test
    void bought_paid_and_seen_only_by_its_owner() {
        sale("--stock", "3", "--price", "9900");

        Copy.Output bought = copy.must("buy", "carol", productId);
        String orderSn = String.valueOf(bought.json().get("orderSn"));
        assertThat(bought.json().get("status")).isEqualTo("ORDERED");
        assertThat(shop.get("carol", Shop.result(productId)).text("orderSn")).isEqualTo(orderSn);

        assertThat(shop.get("mallory", "/seckill/orders/" + orderSn).status()).isEqualTo(404);
        assertThat(shop.post("mallory", "/seckill/orders/" + orderSn + "/pay").status())
                .isEqualTo(404);
        assertThat(shop.post("carol", "/seckill/orders/" + orderSn + "/pay").text("code"))
                .isEqualTo("PAID");
        assertThat(shop.get("carol", "/seckill/orders/" + orderSn).text("status"))
                .isEqualTo("PAID");
        assertThat(shop.get("carol", "/seckill/orders").text("orders")).contains(orderSn);
        assertThat((List<?>) shop.get("mallory", "/seckill/orders").body().get("orders"))
                .isEmpty();
        copy.must("audit", productId);
    }

    @Test
    void second_attempt_is_answered_with_the_first_reservation() {
        sale("--stock", "3");
        String first = shop.post("dave", Shop.deduct(productId)).text("reservationId");

        Shop.Answer second = shop.post("dave", Shop.deduct(productId));

        assertThat(second.status()).isEqualTo(409);
        assertThat(second.text("code")).isEqualTo("ALREADY_BOUGHT");
        assertThat(second.text("reservationId")).isEqualTo(first);
        assertThat(copy.seckill("buy", "dave", productId).exit()).isNotZero();
    }

    @Test
    void result_and_sale_come_back_when_the_control_redis_lost_everything() {
        sale("--stock", "3");
        String orderSn =
                String.valueOf(copy.must("buy", "olga", productId).json().get("orderSn"));

        copy.flushControl();

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(
                                shop.get("olga", Shop.result(productId)).body().get("orderSn"))
                        .isEqualTo(orderSn));
        copy.must("buy", "pete", productId);
        copy.must("audit", productId);
    }

    @Test
    void unpaid_order_closes_and_its_unit_is_sold_again() {
        sale("--stock", "1", "--pay-within", "2");
        Map<?, ?> order = copy.must("buy", "erin", productId).json();
        assertThat(shop.post("frank", Shop.deduct(productId)).text("code")).isEqualTo("SOLD_OUT");

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(
                                shop.get("erin", Shop.result(productId)).text("status"))
                        .isEqualTo("CANCELLED"));
        Shop.Answer late = shop.post("erin", "/seckill/orders/" + order.get("orderSn") + "/pay");
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.text("state")).isEqualTo("CANCELLED");

        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> shop.post("frank", Shop.deduct(productId)).status() == 202);
        copy.must("audit", productId);
    }

    /** Its unit is sold again by then, so no reminder brings the result back. */
    @Test
    void cancelled_order_is_told_still_when_the_control_redis_lost_everything() {
        sale("--stock", "1", "--pay-within", "2");
        Object orderSn = copy.must("buy", "ruth", productId).json().get("orderSn");
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> shop.post("sam", Shop.deduct(productId)).status() == 202);
        Map<String, Object> cancelled =
                Map.of("status", "CANCELLED", "orderSn", orderSn, "reason", "PAY_TIMEOUT");
        assertThat(shop.get("ruth", Shop.result(productId)).body()).isEqualTo(cancelled);

        copy.flushControl();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> shop.get("ruth", Shop.result(productId)).status() == 200);
        assertThat(shop.get("ruth", Shop.result(productId)).body()).isEqualTo(cancelled);
    }

    @Test
    void signed_path_is_wanted_where_the_sale_says_so() {
        sale("--stock", "1", "--path", "on");

        assertThat(shop.post("gina", Shop.deduct(productId)).text("code")).isEqualTo("FORBIDDEN");
        String path = shop.post("gina", "/seckill/flash/sale/path?productId=" + productId)
                .text("path");
        String address = "/seckill/flash/sale/" + path + "/deduct?productId=" + productId;
        assertThat(shop.post("mallory", address).text("code")).isEqualTo("FORBIDDEN");
        assertThat(shop.post("gina", address).status()).isEqualTo(202);
    }

    @Test
    void nobody_buys_before_the_start() {
        sale("--stock", "1", "--start", Instant.now().plusSeconds(600).toString());

        Shop.Answer early = shop.post("hugo", Shop.deduct(productId));

        assertThat(early.status()).isEqualTo(409);
        assertThat(early.text("code")).isEqualTo("NOT_STARTED");
        assertThat(early.number("retryAfterMs")).isPositive();
    }

    @Test
    void nobody_buys_after_the_end() {
        sale(
                "--stock",
                "1",
                "--start",
                Instant.now().minusSeconds(60).toString(),
                "--end",
                Instant.now().minusSeconds(1).toString());

        Shop.Answer late = shop.post("hugo", Shop.deduct(productId));

        assertThat(late.status()).isEqualTo(410);
        assertThat(late.text("code")).isEqualTo("ENDED");
    }

    @Test
    void several_units_are_one_reservation_within_the_user_s_limit() {
        sale("--stock", "9", "--per-user", "2", "--price", "100");

        assertThat(shop.post("ivan", Shop.deduct(productId) + "&quantity=3").status())
                .isEqualTo(400);
        assertThat(shop.post("ivan", Shop.deduct(productId) + "&quantity=2").status())
                .isEqualTo(202);
        assertThat(shop.post("ivan", Shop.deduct(productId)).text("code"))
                .isEqualTo("ALREADY_BOUGHT");
        copy.must("audit", productId);
    }

    @Test
    void sale_is_made_once_and_never_reset_while_it_runs() {
        sale("--stock", "5");
        copy.must("buy", "judy", productId);

        sale("--stock", "5");
        assertThat(copy.seckill("sale", "create", productId, "--stock", "6").exit())
                .isEqualTo(1);

        Map<?, ?> books = copy.must("audit", productId, "--json").json();
        Map<?, ?> product = (Map<?, ?>) ((List<?>) books.get("products")).get(0);
        assertThat(product.get("stockTotal")).isEqualTo(5);
        assertThat(product.get("liveOrders")).isEqualTo(1);
    }

    @Test
    void limit_changed_in_redis_is_felt_within_a_second() {
        sale("--stock", "50");
        copy.must("limits", "product", productId, "qps", "0");
        pause(1_000);
        Shop.Answer closed = shop.post("kate", Shop.deduct(productId));
        assertThat(closed.status()).isEqualTo(503);
        assertThat(closed.text("code")).isEqualTo("PAUSED");
        assertThat(closed.number("retryAfterMs")).isPositive();

        copy.must("limits", "product", productId, "qps", "100");
        pause(1_000);
        assertThat(shop.post("kate", Shop.deduct(productId)).status()).isEqualTo(202);

        copy.must("limits", "product", productId, "qps", "0");
        pause(1_000);
        copy.must("limits", "product", productId, "qps", "default");
        pause(1_000);
        assertThat(shop.post("liam", Shop.deduct(productId)).status()).isEqualTo(202);
    }

    @Test
    void product_that_is_closed_stays_closed_when_the_control_redis_loses_its_data() {
        sale("--stock", "50");
        copy.must("limits", "product", productId, "qps", "0");
        pause(1_000);
        copy.flushControl();
        long endMs = System.currentTimeMillis() + 3_000;
        while (System.currentTimeMillis() < endMs) {
            assertThat(shop.post("kate", Shop.deduct(productId)).status()).isEqualTo(503);
            pause(20);
        }
        assertThat(copy.must("limits").text()).containsPattern("qps +" + productId + " +0 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?productId=",
                "?productId=0",
                "?productId=-1",
                "?productId=01",
                "?productId=1e3",
                "?productId=../x",
                "?productId=1234567890123456789",
                "?productId=518&productId=518",
                "?%70roductId=518&productId=519",
                "?productId=518&quantity=0",
                "?productId=518&quantity=-1",
                "?productId=518&quantity=1.5",
                "?productId=518&quantity=99999999999",
                "?productId=518&quantity=NaN"
            })
    void malformed_attempt_is_a_bad_request(String query) {
        Shop.Answer answer = shop.post("lena", "/seckill/flash/sale/deduct" + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("code")).isEqualTo("BAD_REQUEST");
        assertThat(answer.text("message")).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "GET,  /seckill/flash/sale/deduct?productId=518, 405, METHOD_NOT_ALLOWED",
        "PUT,  /seckill/flash/sale/deduct?productId=518, 405, METHOD_NOT_ALLOWED",
        "POST, /seckill/flash/sale/deduct?productId=777777, 404, NO_SUCH_SALE",
        "GET,  /seckill/sales/777777,          404, NO_SUCH_SALE",
        "GET,  /seckill/orders/nonsense,       404, NO_SUCH_ORDER",
        "GET,  /actuator/health,               404, NOT_FOUND",
        "GET,  /admin/audit,                   404, NOT_FOUND",
        "POST, /payments/reports,              404, NOT_FOUND",
        "GET,  /nothing/here,                  404, NOT_FOUND",
    })
    void wrong_address_or_method_is_answered_from_the_table(
            String method, String path, int status, String code) {
        Shop.Answer answer = shop.send(
                "lena",
                HttpRequest.newBuilder(copy.uri(path)).method(method, BodyPublishers.noBody()));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text("code")).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer x.y.z", "Bearer ", "Basic abc", "eyJhbGciOiJub25lIn0.e30."})
    void bad_token_is_unauthenticated(String header) {
        Shop.Answer answer = shop.send(
                null,
                HttpRequest.newBuilder(copy.uri(Shop.deduct("518")))
                        .header("Authorization", header)
                        .POST(BodyPublishers.noBody()));
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.text("code")).isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void no_token_is_unauthenticated_wherever_a_user_is_needed() {
        assertThat(shop.post(null, Shop.deduct("518")).status()).isEqualTo(401);
        assertThat(shop.get(null, Shop.result("518")).status()).isEqualTo(401);
        assertThat(shop.get(null, "/seckill/orders").status()).isEqualTo(401);
    }

    @Test
    void public_facts_of_a_sale_name_no_exact_stock() {
        sale("--stock", "4321", "--price", "1234", "--name", "Lamp");

        Shop.Answer facts = shop.get(null, "/seckill/sales/" + productId);

        assertThat(facts.status()).isEqualTo(200);
        assertThat(facts.text("productId")).isEqualTo(productId);
        assertThat(facts.text("name")).isEqualTo("Lamp");
        assertThat(facts.number("priceCents")).isEqualTo(1234);
        assertThat(facts.body().get("soldOut")).isEqualTo(false);
        assertThat(Instant.parse(facts.text("serverTime")))
                .isBetween(Instant.now().minusSeconds(5), Instant.now().plusSeconds(5));
        assertThat(facts.body().toString()).doesNotContain("4321");
        assertThat(shop.get(null, "/seckill/sales").text("sales")).contains(productId);
    }

    @Test
    void user_without_an_attempt_has_no_result() {
        sale("--stock", "1");
        assertThat(shop.get("nora", Shop.result(productId)).text("status")).isEqualTo("NONE");
    }

    private void sale(String... options) {
        List<String> words = new ArrayList<>(List.of("sale", "create", productId));
        words.addAll(List.of(options));
        copy.must(words.toArray(String[]::new));
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
