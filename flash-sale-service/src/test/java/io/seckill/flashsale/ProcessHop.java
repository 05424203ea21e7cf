package io.seckill.flashsale;

import static org.awaitility.Awaitility.await;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.ServiceProcess;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The packaged service as processes that can be ended, on the same real parts as the one that the
 * other tests use, and beside it.
 */
public abstract class ProcessHop extends Hop {

    protected static final Duration SOON = Duration.ofSeconds(30);

    /** Knows of this test's sale once it is returned; more: settings by their variables. */
    protected final ServiceProcess start(Path spool, Map<String, String> more) {
        ServiceProcess service = launch(spool, more);
        await().atMost(SOON).until(() -> ask(service, "result", "nobody").status() == 200);
        return service;
    }

    /** Answers once it is returned, and need not know of a sale nor reach a shard. */
    protected final ServiceProcess launch(Path spool, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "SECKILL_CONTROL_REDIS", CONTROL.uri(),
                "SECKILL_NAMESRV", BROKER.namesrv(),
                "SECKILL_TOKEN_KEYS", KeyFile.of("k1 " + "s".repeat(32)).toString(),
                "SECKILL_RESERVATION_KEYS", KeyFile.of("r1 " + "s".repeat(32)).toString(),
                "SECKILL_SPOOL", spool.toString(),
                "SECKILL_WARM_UP", "0s"));
        environment.put(
                "SECKILL_SHARDS",
                SHARDS.stream().map(RedisProcess::uri).collect(Collectors.joining(",")));
        environment.putAll(more);
        return new ServiceProcess("flash-sale-service", environment);
    }

    protected final Answer ask(ServiceProcess service, String route, String user) {
        return send(request(service, route, user).GET());
    }

    protected final Answer attempt(ServiceProcess service, String user) {
        return send(request(service, "deduct", user)
                .header(EdgeHeaders.QUANTITY, "1")
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(ServiceProcess service, String route, String user) {
        return request(route, user).uri(service.uri("/seckill/flash/sale/" + route));
    }

    /** Of every shard in turn. */
    protected static List<String> users(int count) {
        return IntStream.range(0, count).mapToObj(i -> userAt(i % 3, i)).toList();
    }

    /** Whoever holds units, as often as in how many shards. */
    protected final List<String> holders() {
        return shards.all().stream()
                .flatMap(shard -> books(shard).buyers().keySet().stream())
                .toList();
    }
}
