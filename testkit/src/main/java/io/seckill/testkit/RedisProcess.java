package io.seckill.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A Redis configured as a shard is: append-only file, flushed before the answer, never evicting.
 */
public final class RedisProcess extends LocalProcess {

    private final int port = freePort();

    private final List<String> more;
    private int tlsPort;

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

    /** It wants a password of whoever names no user, and knows this user too. */
    public static RedisProcess secured(String password, String user, String userPassword) {
        return new RedisProcess(List.of(
                "--requirepass",
                password,
                "--user",
                user,
                "on",
                ">" + userPassword,
                "~*",
                "+@all"));
    }

    /** With TLS on a port of its own ({@link #tlsPort}), and without on the other. */
    public static RedisProcess encrypted(Path certificate, Path key) {
        int tlsPort = freePort();
        RedisProcess process = new RedisProcess(List.of(
                "--tls-port",
                Integer.toString(tlsPort),
                "--tls-cert-file",
                certificate.toString(),
                "--tls-key-file",
                key.toString(),
                "--tls-auth-clients",
                "no"));
        process.tlsPort = tlsPort;
        return process;
    }

    public int tlsPort() {
        return tlsPort;
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
        } catch (JedisDataException e) {
            return String.valueOf(e.getMessage()).startsWith("NOAUTH");
        }
    }
}
