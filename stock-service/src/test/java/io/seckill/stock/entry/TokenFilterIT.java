package io.seckill.stock.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import io.seckill.stock.Tokens;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFilterIT {

    private final Stock stock = Stock.running();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/audit",
                "/admin/sales",
                "/admin",
                "/",
                "/actuator",
                "/actuator/env",
                "/actuator/health/x",
                "/actuator/health/../../admin/audit",
                "/error",
                "//admin/audit",
                "/actuator/health;/../admin/audit",
                "/%61dmin/audit"
            })
    void nothing_but_health_opens_without_a_token(String path) {
        Answer answer = stock.send(stock.request(path));
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.text("code")).isEqualTo("UNAUTHENTICATED");
        assertThat(answer.body().get("retryAfterMs")).isEqualTo(0);
    }

    @Test
    void buyer_is_forbidden_and_nothing_is_made() {
        Answer answer = stock.send(stock.request("/admin/sales")
                .header("Authorization", "Bearer " + Tokens.of("buyer"))
                .POST(BodyPublishers.ofString("{\"productId\":\"501\",\"stock\":1}")));
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text("code")).isEqualTo("FORBIDDEN");
        assertThat(stock.audit("501").text("code")).isEqualTo("NO_SUCH_SALE");
    }

    @Test
    void role_that_does_not_exist_another_scheme_and_two_headers_are_nobody() {
        assertThat(status("Bearer " + Tokens.of("admin"))).isEqualTo(401);
        assertThat(status("Basic " + Tokens.of("ops"))).isEqualTo(401);
        assertThat(status("Bearer")).isEqualTo(401);
        String ops = "Bearer " + Tokens.of("ops");
        assertThat(stock.send(stock.request("/admin/audit")
                                .header("Authorization", ops)
                                .header("Authorization", ops))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void operator_gets_the_table_s_answers_for_wrong_addresses_and_methods() {
        assertThat(stock.get("/admin/nothing").text("code")).isEqualTo("NOT_FOUND");
        assertThat(stock.get("/admin/sales").text("code")).isEqualTo("METHOD_NOT_ALLOWED");
        assertThat(stock.get("/actuator/env").status()).isEqualTo(404);
    }

    @Test
    void health_is_open_and_green() {
        assertThat(stock.health().status()).isEqualTo(200);
        assertThat(stock.health().body().get("status")).isEqualTo("UP");
    }

    private int status(String authorization) {
        return stock.send(stock.request("/admin/audit").header("Authorization", authorization))
                .status();
    }
}
