package io.seckill.load.bench.sourceway;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.load.Command;
import io.seckill.load.MisuseException;
import io.seckill.load.copy.RunningCopy;
import io.seckill.quantity.QuantityStock;
import io.seckill.shard.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * A service that accepts an attempt as the source design does: one blocking call of the reserve
 * script, then one synchronous send, on the request's own thread. `source-way PRODUCT`: takes units
 * of a product loaded into the first shard, another user each time, until it is stopped; prints its
 * port when it is ready.
 *
 * <p>It does less than the platform: no identity, no second shard, and a unit whose message is not
 * sent is lost. It is held to the same durability: the shard and the broker flush before they
 * answer.
 */
public final class SourceWay implements Command {

    private static final int THREADS = 60; // as flash-sale-service has
    private static final String TOPIC = "bench_source_way";
    private static final String KNOWN_TOPIC = OrderEvent.TOPIC; // says which brokers there are
    private static final int QUEUES = 4;
    private static final int MAX_TRIES = 5;
    private static final Script RESERVE = Script.of(QuantityStock.class, "/quantity/reserve.lua");
    private static final long DEADLINE_MS = Duration.ofDays(1).toMillis();

    private final AtomicLong users = new AtomicLong();

    @Override
    public void check(List<String> words) {
        if (words.size() != 1) {
            throw new MisuseException("source-way wants PRODUCT");
        }
    }

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        UnifiedJedis shard = shard(copy.shards().get(0));
        DefaultMQProducer producer = producer(copy.namesrv());
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/", exchange -> answer(exchange, words.get(0), shard, producer));
        server.start();
        System.out.println(server.getAddress().getPort());
        Thread.currentThread().join(); // until it is stopped
        return 0;
    }

    private static UnifiedJedis shard(String address) {
        RedisEndpoint endpoint = RedisEndpoint.of("SECKILL_SHARDS", address);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(THREADS);
        pool.setMaxIdle(THREADS);
        return RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .poolConfig(pool)
                .build();
    }

    private static DefaultMQProducer producer(String namesrv) throws MQClientException {
        DefaultMQProducer producer = new DefaultMQProducer(TOPIC);
        producer.setNamesrvAddr(namesrv);
        producer.start();
        makeTopic(producer);
        return producer;
    }

    /** A client that has just started on a busy machine may be too slow for its own time limit. */
    @SuppressWarnings("deprecation") // createTopic: its successor is in a jar of 10 MB
    private static void makeTopic(DefaultMQProducer producer) throws MQClientException {
        for (int tries = 1; ; tries++) {
            try {
                producer.createTopic(KNOWN_TOPIC, TOPIC, QUEUES, Map.of());
                return;
            } catch (MQClientException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
            }
        }
    }

    private void answer(
            HttpExchange exchange, String productId, UnifiedJedis shard, DefaultMQProducer producer)
            throws IOException {
        String code;
        try {
            code = accept(productId, shard, producer);
        } catch (Exception e) {
            code = e.getClass().getSimpleName();
        }
        byte[] body = ("{\"code\":\"" + code + "\"}").getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code.equals("ACCEPTED") ? 202 : 503, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private String accept(String productId, UnifiedJedis shard, DefaultMQProducer producer)
            throws Exception {
        long number = users.incrementAndGet();
        String id = String.format("%032d", number);
        List<?> reply = (List<?>) RESERVE.run(
                shard,
                List.of(
                        RedisKeys.stock(productId),
                        RedisKeys.buyers(productId),
                        RedisKeys.reservations(productId),
                        RedisKeys.outbox(productId)),
                List.of(
                        id,
                        "user" + number,
                        "1",
                        Long.toString(System.currentTimeMillis() + DEADLINE_MS),
                        "0"));
        if (!reply.get(0).equals("TAKEN")) {
            return String.valueOf(reply.get(0));
        }
        String body = "{\"reservationId\":\"" + id + "\",\"productId\":\"" + productId
                + "\",\"userId\":\"user" + number + "\",\"quantity\":1,\"shard\":0}";
        SendStatus status = producer.send(new Message(TOPIC, null, id, body.getBytes(UTF_8)))
                .getSendStatus();
        return status == SendStatus.SEND_OK ? "ACCEPTED" : status.name();
    }
}
