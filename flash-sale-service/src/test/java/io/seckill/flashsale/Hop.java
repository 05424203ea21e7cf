package io.seckill.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.Messaging;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import io.seckill.contracts.Placement;
import io.seckill.contracts.PublishedSale;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.ReservationSigner;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.Books;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ShardState;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import redis.clients.jedis.Jedis;

/** The service on real parts, started once for all tests; each test sells a product of its own. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
public abstract class Hop {

    protected static final List<RedisProcess> SHARDS =
            IntStream.range(0, 3).mapToObj(i -> new RedisProcess()).toList();
    protected static final RedisProcess CONTROL = new RedisProcess();
    protected static final RocketMqProcess BROKER = new RocketMqProcess();

    private static final TokenKeyFile.Key RELAY_KEY =
            new TokenKeyFile.Key("r1", "fedcba9876543210fedcba9876543210");

    /** Signs as the service does. */
    protected static final ReservationSigner SIGNER =
            new ReservationSigner(() -> List.of(RELAY_KEY));

    private static final AtomicLong NEXT_PRODUCT = new AtomicLong(518);

    @Autowired
    protected Messaging messaging;

    @Autowired
    protected QuantityStocks shards;

    @Autowired
    protected SaleCache sales;

    @Value("${local.server.port}")
    private int port;

    protected final String product = Long.toString(NEXT_PRODUCT.getAndIncrement());
    private final HttpClient client = HttpClient.newHttpClient();

    @DynamicPropertySource
    static void where(DynamicPropertyRegistry registry) {
        registry.add(
                "seckill.token-keys", KeyFile.of("k1 0123456789abcdef0123456789abcdef")::toString);
        registry.add(
                "seckill.reservation-keys",
                KeyFile.of(RELAY_KEY.kid() + " " + RELAY_KEY.secret())::toString);
        registry.add("seckill.control-redis", CONTROL::uri);
        registry.add("seckill.namesrv", BROKER::namesrv);
        registry.add(
                "seckill.shards",
                () -> SHARDS.stream().map(RedisProcess::uri).collect(Collectors.joining(",")));
    }

    /** A running sale with these units in the shards. */
    protected final void sell(int... units) {
        sell(Map.of(), units);
    }

    protected final void sell(Map<String, String> facts, int... units) {
        for (int shard = 0; shard < units.length; shard++) {
            QuantityStock part = shards.get(shard);
            int quantity = units[shard];
            surely(() -> part.load(product, 1, quantity));
        }
        long nowMs = System.currentTimeMillis();
        Map<String, String> sale = new HashMap<>(new PublishedSale(
                        product,
                        "Product " + product,
                        9_900,
                        nowMs - 1_000,
                        nowMs + 600_000,
                        2,
                        false,
                        900,
                        1_000,
                        placements(units.length),
                        false,
                        false)
                .hash());
        sale.putAll(facts);
        onControl(jedis -> {
            jedis.hset(RedisKeys.sale(product), sale);
            jedis.sadd(RedisKeys.SALES, product);
        });
        await().until(() -> sales.products().contains(product) && isRead(sale));
    }

    /** The service has read these facts, which differ in their start from any before. */
    private boolean isRead(Map<String, String> facts) {
        return sales.get(product)
                .either(
                        sale -> facts.get("start_at_ms").equals(Long.toString(sale.startAtMs())),
                        refusal -> false);
    }

    /** Waits until the service has read the sales once more: it knows of one put there just now. */
    protected final void awaitRead() {
        String newcomer = Long.toString(NEXT_PRODUCT.getAndIncrement());
        onControl(jedis -> jedis.sadd(RedisKeys.SALES, newcomer));
        await().until(() -> sales.products().contains(newcomer));
        onControl(jedis -> jedis.srem(RedisKeys.SALES, newcomer));
    }

    private static List<Placement> placements(int shards) {
        return IntStream.range(0, shards)
                .mapToObj(shard -> new Placement(shard, 1, Placement.State.OPEN))
                .toList();
    }

    protected static void onControl(Consumer<Jedis> use) {
        try (Jedis jedis = CONTROL.connect()) {
            use.accept(jedis);
        }
    }

    protected final Answer deduct(String user) {
        return deduct(user, "1");
    }

    /** Tries again, for a while, when told BUSY or PENDING. */
    protected final Answer deduct(String user, String quantity) {
        Answer answer = deductOnce(user, quantity);
        for (int i = 0; i < 20 && isUntold(answer); i++) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            answer = deductOnce(user, quantity);
        }
        return answer;
    }

    /** Whether this answer to an attempt leaves open what became of it. */
    protected static boolean isUntold(Answer answer) {
        return answer.status() == 503 || "PENDING".equals(answer.text("code"));
    }

    protected final Answer deductOnce(String user, String quantity) {
        return send(request("deduct", user)
                .header(EdgeHeaders.QUANTITY, quantity)
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    protected final Answer path(String user) {
        return send(request("path", user).POST(HttpRequest.BodyPublishers.noBody()));
    }

    protected final Answer result(String user) {
        return send(request("result", user).GET());
    }

    protected final HttpRequest.Builder request(String route, String user) {
        return HttpRequest.newBuilder(uri("/seckill/flash/sale/" + route))
                .header(EdgeHeaders.USER, user)
                .header(EdgeHeaders.PRODUCT, product);
    }

    protected final URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    protected final Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(
                    request.timeout(Duration.ofSeconds(20)).build(),
                    HttpResponse.BodyHandlers.ofString());
            return new Answer(response);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts a killed shard and opens the product there, as stock-service does. */
    protected final void takeBack(int shard) {
        SHARDS.get(shard).start();
        QuantityRecovery recovery = new QuantityRecovery(shards.get(shard).shard());
        ShardState read = surely(() -> recovery.state(product));
        int epoch = read.stock().orElseThrow().epoch() + 1;
        assertThat(surely(() -> recovery.open(product, read, epoch))).isTrue();
    }

    /** Nothing that was sent to the shard before waits there any more: it answers in order. */
    protected final void awaitIdle(QuantityStock shard) {
        for (int i = 0; i < 2; i++) {
            surely(() -> shard.count(product));
        }
    }

    /** A user whose home is this shard. */
    protected static String userAt(int shard, int n) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "user-" + n + "-" + i)
                .filter(user -> home(user) == shard)
                .findFirst()
                .orElseThrow();
    }

    protected static int home(String user) {
        CRC32 crc = new CRC32();
        crc.update(user.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % SHARDS.size());
    }

    protected final long available() {
        return shards.all().stream()
                .mapToLong(shard -> books(shard).stock().orElseThrow().available())
                .sum();
    }

    protected final Books books(QuantityStock shard) {
        return surely(() -> shard.books(product));
    }

    /** On a busy machine 200 ms may pass without an answer; the test itself asks again. */
    protected static <T> T surely(Supplier<T> question) {
        for (int i = 0; i < 20; i++) {
            try {
                return question.get();
            } catch (ShardUnknownException | ShardDownException e) {
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
        return question.get();
    }

    protected static void signal(RedisProcess part, String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(part.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the service said. */
    public record Answer(HttpResponse<String> response) {

        public int status() {
            return response.statusCode();
        }

        /** A PENDING without when to ask again, which is another each time. */
        @SuppressWarnings("unchecked")
        public Map<String, Object> body() {
            Map<String, Object> body = Json.read(response.body(), Map.class);
            if ("PENDING".equals(body.get("status"))) {
                body.remove("retryAfterMs");
            }
            return body;
        }

        public String text(String field) {
            return (String) body().get(field);
        }

        public String header(String name) {
            return response.headers().firstValue(name).orElse(null);
        }
    }
}
