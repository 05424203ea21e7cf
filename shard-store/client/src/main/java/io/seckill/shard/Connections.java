package io.seckill.shard;

import io.seckill.contracts.RedisEndpoint;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLParameters;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * The connections to one shard.
 *
 * <p>A connection is taken first and used second, so that what failed before anything was sent
 * ({@link ShardDownException}) is told apart from what was sent and not answered ({@link
 * ShardUnknownException}). A new connection must answer a PING before it is used: a shard that
 * accepts and never answers is then down, not unknown. After a silence all idle connections go, for
 * they lead to the same dead server and each would cost its user an unknown outcome.
 */
final class Connections implements AutoCloseable {

    private static final int MAX_CONNECTIONS = 64;
    private static final Duration POOL_WAIT = Duration.ofMillis(100);

    /**
     * An address may have come to lead to another server, a promoted replica for one, while the old
     * one goes on serving whom it has: nobody stays with it for longer.
     */
    static final Duration MAX_AGE = Duration.ofSeconds(30);

    private static final Duration AGES_READ_EACH = Duration.ofSeconds(2);

    private final String name;
    private final HostAndPort address;
    private final DefaultJedisClientConfig client;
    private final ConnectionPool pool;
    private final Duration patience;
    private volatile long renewedNs = System.nanoTime();

    Connections(String name, RedisEndpoint endpoint, Duration patience) {
        this.name = name;
        this.patience = patience;
        address = new HostAndPort(endpoint.host(), endpoint.port());
        client = DefaultJedisClientConfig.builder()
                .timeoutMillis((int) patience.toMillis())
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED) // one silence is enough
                .user(endpoint.user())
                .password(endpoint.password())
                .ssl(endpoint.tls())
                .sslParameters(endpoint.tls() ? checkedNames() : null)
                .build();
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(MAX_CONNECTIONS);
        config.setMaxIdle(MAX_CONNECTIONS);
        config.setMaxWait(POOL_WAIT);
        config.setTestOnCreate(true);
        config.setJmxEnabled(false);
        config.setTimeBetweenEvictionRuns(AGES_READ_EACH);
        config.setEvictionPolicy((limits, idle, count) -> isOld((Dated) idle));
        pool = new ConnectionPool(new DatedConnections(address, client), config);
    }

    /** Without this a certificate of any host would do. */
    private static SSLParameters checkedNames() {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        return parameters;
    }

    /** So long a silence is borne. */
    Duration patience() {
        return patience;
    }

    private boolean isOld(Dated connection) {
        return connection.sinceNs - renewedNs < 0
                || System.nanoTime() - connection.sinceNs > MAX_AGE.toNanos();
    }

    /** Idle ones go at once, those in use when they are idle again. */
    void renew() {
        renewedNs = System.nanoTime();
        pool.clear();
    }

    /** A connection of the caller's own, not asked yet whether anybody is there. */
    Connection open() {
        return new Connection(address, client);
    }

    Object ask(CommandArguments command) {
        try (Connection connection = connect()) {
            return send(connection, command);
        }
    }

    Object run(Script script, List<String> keys, List<String> args) {
        try (Connection connection = connect()) {
            return script.run(command -> send(connection, command), keys, args);
        }
    }

    /**
     * The replies to commands sent together on one connection, in their order; an error reply is a
     * {@link JedisDataException} in its place.
     */
    List<Object> askAll(List<CommandArguments> commands) {
        try (Connection connection = connect()) {
            try {
                commands.forEach(connection::sendCommand);
                return connection.getMany(commands.size()).stream()
                        .map(SafeEncoder::encodeObject)
                        .toList();
            } catch (JedisException e) {
                pool.clear();
                throw new ShardUnknownException(name, e);
            }
        }
    }

    private Connection connect() {
        try {
            return pool.getResource();
        } catch (JedisException e) {
            throw new ShardDownException(name, e);
        }
    }

    private Object send(Connection connection, CommandArguments command) {
        try {
            return SafeEncoder.encodeObject(connection.executeCommand(
                    new CommandObject<>(command, BuilderFactory.RAW_OBJECT)));
        } catch (JedisNoScriptException e) {
            throw e;
        } catch (JedisDataException e) {
            throw new ShardDownException(name, e);
        } catch (JedisException e) {
            pool.clear();
            throw new ShardUnknownException(name, e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    /** A connection and its age, which no step of the host's clock changes. */
    private static final class Dated extends DefaultPooledObject<Connection> {

        private final long sinceNs = System.nanoTime();

        Dated(Connection connection) {
            super(connection);
        }
    }

    private static final class DatedConnections extends ConnectionFactory {

        DatedConnections(HostAndPort address, JedisClientConfig client) {
            super(address, client);
        }

        @Override
        public PooledObject<Connection> makeObject() throws Exception {
            return new Dated(super.makeObject().getObject());
        }
    }
}
