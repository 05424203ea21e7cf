package io.seckill.testkit;

import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * A Redis configured as a shard is: append-only file, flushed before the answer, never evicting.
 */
public final class RedisProcess extends LocalProcess {

    private final int port = freePort();

    public RedisProcess() {
        super("redis");
        start();
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Its endpoint as the settings of a part have it. */
    public String uri() {
        return "redis://" + address();
    }

    public Jedis connect() {
        return new Jedis(new HostAndPort("127.0.0.1", port));
    }

    @Override
    protected List<String> command() {
        return List.of(
                "redis-server",
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--dir",
                home.toString(),
                "--save",
                "",
                "--appendonly",
                "yes",
                "--appendfsync",
                "always",
                "--maxmemory-policy",
                "noeviction");
    }

    @Override
    protected boolean answers() {
        try (Jedis jedis = connect()) {
            return "PONG".equals(jedis.ping());
        }
    }
}
