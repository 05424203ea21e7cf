package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Loop;
import io.seckill.contracts.Json;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import redis.clients.jedis.Jedis;

/** The whole service on real parts of its own; started once for all integration tests. */
public final class Stock {

    public static final String SECRET = "integration-tests-only-0123456789abcdef";

    public final RedisProcess control = new RedisProcess();
    public final List<RedisProcess> shards =
            IntStream.range(0, 3).mapToObj(i -> new RedisProcess()).toList();
    public final RocketMqProcess broker = new RocketMqProcess();
    public final MariaDbProcess database = new MariaDbProcess();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context = start();

    /** An answer: its status, and its JSON. */
    public record Answer(int status, Map<?, ?> body) {

        public String text(String field) {
            return (String) body.get(field);
        }
    }

    /** When it cannot start, the first test says why and the rest fail at once. */
    public static Stock running() {
        return Running.STOCK;
    }

    private static final int BULK_MS = 120_000;

    private static final class Running {
        static final Stock STOCK = new Stock();
    }

    private ConfigurableApplicationContext start() {
        broker.createTopics(StockReturn.TOPIC, Reservation.TOPIC);
        ConfigurableApplicationContext started = SpringApplication.run(
                StockApplication.class,
                "--server.port=0",
                "--seckill.control-redis=" + control.uri(),
                "--seckill.shards="
                        + String.join(
                                ",", shards.stream().map(RedisProcess::uri).toList()),
                "--seckill.namesrv=" + broker.namesrv(),
                "--seckill.recovery-drain=200ms",
                "--seckill.token-keys=" + KeyFile.of("k1 " + SECRET),
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=root");
        // Tests damage books and look at the damage; those of the reconciler take its turns.
        started.getBean("reconcileLoop", Loop.class).stop();
        return started;
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public JdbcTemplate sql() {
        return bean(JdbcTemplate.class);
    }

    /** Of so many rows that it may take longer than any statement of the service may. */
    public void bulk(String statement) {
        sql().execute((Connection connection) -> {
            connection.setNetworkTimeout(Runnable::run, BULK_MS); // the pool takes it back
            try (Statement once = connection.createStatement()) {
                return once.executeUpdate(statement);
            }
        });
    }

    /** {@code POST /admin/sales}; the body is written with ' for ". */
    public Answer create(String body) {
        return send(request("/admin/sales")
                .header("Authorization", "Bearer " + Tokens.of("ops"))
                .POST(BodyPublishers.ofString(body.replace('\'', '"'))));
    }

    /** Creates a sale; asks again while a shard that was restarted is BUSY. */
    public void sell(String body) {
        await().atMost(Duration.ofSeconds(20)).until(() -> create(body).status() != 503);
        assertThat(create(body).status()).isEqualTo(200);
    }

    public Answer audit(String productId) {
        return get("/admin/audit?productId=" + productId);
    }

    public Answer get(String path) {
        return send(request(path).header("Authorization", "Bearer " + Tokens.of("ops")));
    }

    /** What the service has counted up to now. */
    public Metrics metrics() {
        return Metrics.of("stock", request("/actuator/prometheus").build().uri());
    }

    public Answer health() {
        return send(request("/actuator/health"));
    }

    public Answer post(String path) {
        return send(request(path)
                .header("Authorization", "Bearer " + Tokens.of("ops"))
                .POST(BodyPublishers.noBody()));
    }

    public HttpRequest.Builder request(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(10));
    }

    public Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
            return new Answer(answer.statusCode(), Json.read(answer.body(), Map.class));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public Map<String, String> saleFacts(String productId) {
        try (Jedis jedis = control.connect()) {
            return jedis.hgetAll(RedisKeys.sale(productId));
        }
    }

    public Map<String, String> quota(String productId) {
        try (Jedis jedis = control.connect()) {
            return jedis.hgetAll(RedisKeys.quota(productId));
        }
    }

    /** Units left in each shard, as Redis itself says. */
    public List<String> available(String productId) {
        return shards.stream()
                .map(shard -> {
                    try (Jedis jedis = shard.connect()) {
                        return jedis.hget(RedisKeys.stock(productId), "available");
                    }
                })
                .toList();
    }

    /** Of the sales of others, whose orders and reservations grow older meanwhile. */
    public void forgetSales() {
        List.of("sale", "shard_ledger", "shard_opening", "stock_change", "orders")
                .forEach(table -> sql().update("DELETE FROM " + table));
        sql().update("DELETE FROM stock_return");
        for (RedisProcess shard : shards) {
            try (Jedis jedis = shard.connect()) {
                jedis.flushAll();
            }
        }
    }

    public Loop loop(String name) {
        return context.getBean(name, Loop.class);
    }

    /** What is damaged meanwhile stays so. */
    public void withoutRecovery(Runnable task) {
        without("recoveryLoop", task);
    }

    /** The loop ends its round first, and goes on afterwards. */
    public void without(String loop, Runnable task) {
        Loop stopped = loop(loop);
        stopped.stop();
        try {
            task.run();
        } finally {
            stopped.start();
        }
    }

    public void awaitSoldOut(String productId, String flag) {
        await().atMost(Duration.ofSeconds(3))
                .untilAsserted(
                        () -> assertThat(saleFacts(productId)).containsEntry("sold_out", flag));
    }
}
