package io.seckill.testkit;

import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * A Redis configured as a shard is: append-only file, flushed before the answer, never evicting.
 */
public final class RedisProcess extends LocalProcess {

    private final int port = freePort();

    private final List<String> more;

    public RedisProcess() {
        this(List.of());
    }

    private RedisProcess(List<String> more) {
        super("redis");
        this.more = more;
        start();
    }

    /** A cluster of one node: it serves all slots and refuses a command with keys of two. */
    public static RedisProcess cluster() {
        RedisProcess node = new RedisProcess(List.of(
                "--cluster-enabled", "yes", "--cluster-port", Integer.toString(freePort())));
        try (Jedis jedis = node.connect()) {
            jedis.clusterAddSlotsRange(0, 16_383);
            while (!jedis.clusterInfo().contains("cluster_state:ok")) {
                Thread.onSpinWait();
            }
        }
        return node;
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
        List<String> command = new ArrayList<>(List.of(
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
                "noeviction"));
        command.addAll(more);
        return command;
    }

    @Override
    protected boolean answers() {
        try (Jedis jedis = connect()) {
            return "PONG".equals(jedis.ping());
        }
    }
}
