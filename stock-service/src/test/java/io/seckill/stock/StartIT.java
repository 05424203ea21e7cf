package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.ServiceProcess;
import io.seckill.testkit.TcpProxy;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The packaged service with a database of its own, beside the one of the other tests: two instances
 * of a group share its queues, so of several returns some must come to this one.
 */
class StartIT {

    private final Stock stock = Stock.running();

    @Test
    void service_starts_without_a_name_server_and_takes_returns_once_it_is_there()
            throws Exception {
        stock.sql().execute("CREATE DATABASE IF NOT EXISTS start_it CHARACTER SET utf8mb4");
        try (TcpProxy proxy = new TcpProxy(stock.broker.namesrv());
                ServiceProcess service = service(proxy)) {
            // On a busy machine a shard's first answer may be late: BUSY, call again.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> create(service, "{\"productId\":\"601\",\"stock\":3}") < 300);
            assertThat(stock.available("601")).containsExactly("1", "1", "1");

            proxy.open();

            Buyers buyers = new Buyers(stock, "601");
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                send(buyers.message(Buyers.newId(), 0, "alice", Action.RETURN));
                return outcomes() > 0;
            });
        }
    }

    private ServiceProcess service(TcpProxy namesrv) {
        String shards =
                stock.shards.stream().map(RedisProcess::uri).collect(Collectors.joining(","));
        return new ServiceProcess(
                "stock-service",
                Map.of(
                        "SECKILL_CONTROL_REDIS",
                        stock.control.uri(),
                        "SECKILL_SHARDS",
                        shards,
                        "SECKILL_NAMESRV",
                        namesrv.address(),
                        "SECKILL_TOKEN_KEYS",
                        KeyFile.of("k1 " + Stock.SECRET).toString(),
                        "SECKILL_DB_URL",
                        stock.database.url().replace("/seckill", "/start_it"),
                        "SECKILL_DB_USER",
                        "root"));
    }

    private static int create(ServiceProcess service, String body) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(service.uri("/admin/sales"))
                                .header("Authorization", "Bearer " + Tokens.of("ops"))
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString())
                .statusCode();
    }

    private void send(String body) {
        assertThat(stock.bean(MessageSender.class)
                        .send(StockReturn.TOPIC, List.of(new Outgoing("k", body))))
                .isTrue();
    }

    private int outcomes() {
        return stock.sql()
                .queryForObject("SELECT COUNT(*) FROM start_it.stock_return", Integer.class);
    }
}
