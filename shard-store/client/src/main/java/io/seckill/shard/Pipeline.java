package io.seckill.shard;

import io.seckill.contracts.RedisEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * What many ask of one Redis, sent together on one connection by one thread.
 *
 * <p>Whoever asks leaves a call in the queue and goes on; the thread sends what is there, at most
 * {@link #MAX_BATCH}, reads the replies, and meanwhile the next gather. Each call ends in exactly
 * one way: its reply; {@link ShardFullException} ({@link #MAX_WAITING} wait already); {@link
 * ShardDownException}, it was never sent or the shard refused it; {@link ShardUnknownException}, it
 * was sent and the connection broke or was silent before its reply.
 *
 * <p>A batch that is not answered within {@link #PATIENCE_NS} takes its connection with it, so that
 * no late reply is ever read as another call's. When no connection can be made all who wait are
 * down at once: a hung shard costs one attempt to connect for a whole queue, and nobody waits
 * longer than for a batch and a connection, about a second at the worst. A shard's trouble stays in
 * its own queue.
 *
 * <p>The reply comes on this thread: who takes it must not wait for anything.
 */
public final class Pipeline implements AutoCloseable {

    static final int MAX_WAITING = 1_024;
    static final int MAX_BATCH = 128;

    /** Looked at after each reply, and no reply takes longer than the connection's own time-out. */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * A connection that was idle for longer is asked whether it is still there before it is
     * used.
     */
    private static final long FRESH_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String name;
    private final Connections connections;
    private final BlockingQueue<Call> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private volatile boolean closed;

    /** Touched by the thread alone; null: the next batch connects. */
    private @Nullable Connection connection;

    private long usedNs;

    private record Call(Script script, CommandArguments command, CompletableFuture<Object> reply) {}

    Pipeline(String name, Connections connections) {
        this.name = name;
        this.connections = connections;
        thread = new Thread(this::serve, "pipeline of " + name);
        thread.setDaemon(true);
    }

    /** To a Redis that is no shard, but called down, unknown and full as one. */
    public static Pipeline to(String name, RedisEndpoint endpoint) {
        String told = name + " (" + endpoint + ")";
        Pipeline pipeline = new Pipeline(told, new Connections(told, endpoint));
        pipeline.start();
        return pipeline;
    }

    void start() {
        thread.start();
    }

    /** The script's reply, texts decoded; never waits. */
    public CompletableFuture<Object> run(Script script, List<String> keys, List<String> args) {
        CompletableFuture<Object> reply = new CompletableFuture<>();
        if (!waiting.offer(new Call(script, script.call(keys, args), reply))) {
            reply.completeExceptionally(new ShardFullException(name));
        } else if (closed) {
            refuseAll(new JedisException("closed"));
        }
        return reply;
    }

    private void serve() {
        List<Call> batch = new ArrayList<>(MAX_BATCH);
        while (!closed) {
            try {
                batch.add(waiting.take());
                waiting.drainTo(batch, MAX_BATCH - 1);
                exchange(batch);
            } catch (InterruptedException e) {
                closed = true;
            } catch (Throwable e) {
                // Whatever it was, no call may be left without an end and the next is served.
                broken(batch, e);
            }
            batch.clear();
        }
        disconnect();
        refuseAll(new JedisException("closed"));
    }

    private void exchange(List<Call> batch) {
        Connection open;
        try {
            open = connected();
        } catch (JedisException e) {
            refuse(batch, e);
            refuseAll(e);
            return;
        }
        List<Call> strange = converse(open, batch);
        usedNs = System.nanoTime();
        if (!strange.isEmpty()) {
            teach(open, strange);
            refuse(converse(open, strange), new JedisException("the script is not kept"));
        }
    }

    private Connection connected() {
        if (System.nanoTime() - usedNs > FRESH_NS) {
            disconnectIfDead();
        }
        Connection open = connection;
        if (open == null) {
            open = connections.open();
            connection = open;
        }
        return open;
    }

    /**
     * What a restarted shard closed is found before anything is sent that would be unknown then.
     */
    private void disconnectIfDead() {
        try {
            if (connection != null) {
                connection.ping();
            }
        } catch (JedisException e) {
            disconnect();
        }
    }

    /** Sends all, hands over all replies; the calls whose script the shard does not know. */
    private List<Call> converse(Connection open, List<Call> batch) {
        List<Call> strange = new ArrayList<>(0);
        long startNs = System.nanoTime();
        for (Call call : batch) {
            open.sendCommand(call.command());
        }
        for (Call call : batch) {
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new JedisException("too slow");
            }
            try {
                call.reply().complete(SafeEncoder.encodeObject(open.getOne()));
            } catch (JedisNoScriptException e) {
                strange.add(call);
            } catch (JedisDataException e) {
                call.reply().completeExceptionally(new ShardDownException(name, e));
            }
        }
        return strange;
    }

    /** What was not known has not run, and may be sent once more. */
    private static void teach(Connection open, List<Call> strange) {
        List<Script> scripts = strange.stream().map(Call::script).distinct().toList();
        scripts.forEach(script -> open.sendCommand(script.load()));
        open.getMany(scripts.size());
    }

    /** Those of the batch that have no reply were sent, as far as anybody knows. */
    private void broken(List<Call> batch, Throwable why) {
        disconnect();
        ShardUnknownException unknown = new ShardUnknownException(name, why);
        batch.forEach(call -> call.reply().completeExceptionally(unknown));
    }

    private void disconnect() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.forceDisconnect();
            } catch (Exception e) {
                // It is not used again, whatever state it is in.
            }
        }
    }

    private void refuseAll(JedisException why) {
        List<Call> all = new ArrayList<>();
        waiting.drainTo(all);
        refuse(all, why);
    }

    private void refuse(List<Call> calls, JedisException why) {
        if (!calls.isEmpty()) {
            ShardDownException down = new ShardDownException(name, why);
            calls.forEach(call -> call.reply().completeExceptionally(down));
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
