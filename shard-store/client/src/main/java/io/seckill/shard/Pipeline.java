package io.seckill.shard;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.seckill.contracts.RedisEndpoint;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
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
 * <p>A batch that is not answered within {@link Shard#PATIENCE} takes its connection with it, so
 * that no late reply is ever read as another call's. When no connection can be made all who wait are
 * down at once.
 *
 * <p><b>The breaker.</b> A silence, of a batch or of a connection, leaves the shard out: whoever
 * comes is down at once, and this thread alone goes on asking it for the time, one question at a
 * time. Who waited is served when the first is answered, else down. An answer ends it, and then one
 * call goes alone before others follow, for a shard may know the time and do no work. So a hung
 * shard costs one batch an unknown outcome and those behind it 200 ms. A shard that refuses
 * connections is not left out: it says so at once.
 *
 * <p>The reply comes on this thread: who takes it must not wait for anything.
 */
public final class Pipeline implements AutoCloseable {

    static final int MAX_WAITING = 1_024;
    static final int MAX_BATCH = 128;

    /**
     * A connection that was idle for longer is asked whether it is still there before it is
     * used.
     */
    private static final long FRESH_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** From one reading of the shard's clock to the next, whether anybody asks for it or not. */
    private static final long CLOCK_NS = TimeUnit.SECONDS.toNanos(1);

    /** Between two questions to a shard that is left out. */
    private static final long PROBE_PAUSE_MS = 100;

    private final String name;
    private final Connections connections;
    private final BlockingQueue<Call> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private final ShardClock clock = new ShardClock();
    private volatile boolean closed;

    /** The connection is not used for another batch. */
    private volatile boolean isToRenew;

    /** What everybody is told while the shard is left out; null: it is asked. */
    private volatile @Nullable ShardDownException leftOut;

    /** Touched by the thread alone, as all below; null: the next batch connects. */
    private @Nullable Connection connection;

    private long connectedNs;
    private long usedNs;
    private long clockReadNs;

    /** A call was answered since the shard was left out. */
    private boolean isProven = true;

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
        Pipeline pipeline = new Pipeline(told, new Connections(told, endpoint, Shard.PATIENCE));
        pipeline.start();
        return pipeline;
    }

    void start() {
        thread.start();
    }

    ShardClock clock() {
        return clock;
    }

    boolean isLeftOut() {
        return leftOut != null;
    }

    /** The next batch goes to whoever serves the address then. */
    void renew() {
        isToRenew = true;
    }

    int waiting() {
        return waiting.size();
    }

    /** The script's reply, texts decoded; never waits. */
    public CompletableFuture<Object> run(Script script, List<String> keys, List<String> args) {
        ShardDownException down = leftOut;
        if (down != null) {
            return CompletableFuture.failedFuture(down);
        }
        CompletableFuture<Object> reply = new CompletableFuture<>();
        if (!waiting.offer(new Call(script, script.call(keys, args), reply))) {
            reply.completeExceptionally(new ShardFullException(name));
        } else if (closed) {
            refuseAll(down(new JedisException("closed")));
        }
        return reply;
    }

    private void serve() {
        List<Call> batch = new ArrayList<>(MAX_BATCH);
        while (!closed) {
            try {
                if (leftOut == null) {
                    gather(batch);
                    exchange(batch);
                } else {
                    probe();
                }
            } catch (InterruptedException e) {
                closed = true;
            } catch (Throwable e) {
                // Whatever it was, no call may be left without an end and the next is served.
                broken(batch, e);
            }
            batch.clear();
        }
        disconnect();
        refuseAll(down(new JedisException("closed")));
    }

    /** Nobody, when the clock is to be read. */
    private void gather(List<Call> batch) throws InterruptedException {
        Call first = waiting.poll(clockReadNs + CLOCK_NS - System.nanoTime(), NANOSECONDS);
        if (first != null) {
            batch.add(first);
            if (isProven) {
                waiting.drainTo(batch, MAX_BATCH - 1);
            }
        }
    }

    private void exchange(List<Call> batch) {
        Connection open;
        try {
            open = connected();
        } catch (JedisException e) {
            ShardDownException down = down(e);
            leaveOutIfSilent(e, down);
            refuse(batch, down);
            refuseAll(down);
            return;
        }
        List<Call> strange = converse(open, batch);
        usedNs = System.nanoTime();
        if (!strange.isEmpty()) {
            teach(open, strange);
            refuse(converse(open, strange), down(new JedisException("the script is not kept")));
        }
    }

    private void probe() throws InterruptedException {
        try {
            connected();
            isProven = false;
            leftOut = null;
        } catch (JedisException e) {
            refuseAll(down(e));
            if (isSilence(e)) {
                Thread.sleep(PROBE_PAUSE_MS);
            } else {
                leftOut = null;
            }
        }
    }

    private void leaveOutIfSilent(Throwable why, ShardDownException down) {
        if (isSilence(why)) {
            leftOut = down;
        }
    }

    /** The client keeps what each address of a host said as suppressed. */
    private static boolean isSilence(@Nullable Throwable why) {
        return why != null
                && (why instanceof SocketTimeoutException
                        || isSilence(why.getCause())
                        || Arrays.stream(why.getSuppressed()).anyMatch(Pipeline::isSilence));
    }

    /** A connection that has just been used, or answers; throws, and nothing was sent on it. */
    private Connection connected() {
        long nowNs = System.nanoTime();
        if (isToRenew || nowNs - connectedNs > Connections.MAX_AGE.toNanos()) {
            disconnect();
        }
        Connection open = connection;
        if (open != null && nowNs - usedNs > FRESH_NS && !answers(open)) {
            open = null;
        }
        if (open == null) {
            clockReadNs = nowNs; // also when it fails: once in a second, where nobody asks
            isToRenew = false;
            connectedNs = nowNs;
            open = connections.open();
            connection = open;
            readClockOrLeave(open);
        } else if (nowNs - clockReadNs >= CLOCK_NS) {
            readClockOrLeave(open);
        }
        return open;
    }

    /**
     * What a restarted shard closed is found before anything is sent that would be unknown then; a
     * silence is none of that, but tells of the shard.
     */
    private boolean answers(Connection open) {
        try {
            readClockOrLeave(open);
            return true;
        } catch (JedisException e) {
            if (isSilence(e)) {
                throw e;
            }
            return false;
        }
    }

    private void readClockOrLeave(Connection open) {
        try {
            long askedNs = System.nanoTime();
            open.sendCommand(Command.TIME);
            List<byte[]> now = open.getBinaryMultiBulkReply();
            usedNs = System.nanoTime();
            clockReadNs = usedNs;
            long seconds = Long.parseLong(SafeEncoder.encode(now.get(0)));
            long micros = Long.parseLong(SafeEncoder.encode(now.get(1)));
            clock.heard(TimeUnit.SECONDS.toMicros(seconds) + micros, askedNs, usedNs);
        } catch (JedisException e) {
            disconnect();
            throw e;
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
            // No single reply takes longer than that by the connection's own time-out.
            if (System.nanoTime() - startNs > connections.patience().toNanos()) {
                throw new JedisException("too slow", new SocketTimeoutException());
            }
            try {
                call.reply().complete(SafeEncoder.encodeObject(open.getOne()));
                isProven = true;
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
        leaveOutIfSilent(why, down(why));
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

    private ShardDownException down(Throwable why) {
        return new ShardDownException(name, why);
    }

    private void refuseAll(ShardDownException down) {
        List<Call> all = new ArrayList<>();
        waiting.drainTo(all);
        refuse(all, down);
    }

    private static void refuse(List<Call> calls, ShardDownException down) {
        calls.forEach(call -> call.reply().completeExceptionally(down));
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
