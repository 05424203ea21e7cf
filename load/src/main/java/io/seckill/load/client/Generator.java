package io.seckill.load.client;

import io.seckill.load.AtCtrlC;
import io.seckill.load.client.Traffic.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A light HTTP client: one thread, one selector, keep-alive connections, one request at a time on
 * each, as fast as the server answers or at a given rate.
 *
 * <p>On two cores the client competes with what it measures, so it does as little as it can and is
 * measured itself: {@link Tally} has its CPU time. A rate that it cannot reach is said
 * (`late`), never quietly lowered: a request that is due waits for a free connection and its
 * latency counts from when it was due.
 */
public final class Generator {

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final long SELECT_MS = 100;
    private static final int NONE = -1; // no request is under way

    private final InetSocketAddress server;
    private final int connections;
    private final double ratePerS; // 0: as fast as it goes
    private final long limitNs;
    private final BooleanSupplier mustEnd;

    /** Sends nothing more once Ctrl-C has come, whose removals must not wait for us. */
    public Generator(int port, int connections, double ratePerS, long limitMs) {
        this(port, connections, ratePerS, limitMs, AtCtrlC::hasBegun);
    }

    Generator(int port, int connections, double ratePerS, long limitMs, BooleanSupplier mustEnd) {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.connections = connections;
        this.ratePerS = ratePerS;
        limitNs = limitMs * 1_000_000;
        this.mustEnd = mustEnd;
    }

    /** A request that waits for its time. */
    private record Due(long atNs, int number) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.compare(atNs, other.atNs);
        }
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final Reply reply = new Reply();
        private int number = NONE;
        private long sinceNs;
        private @Nullable ByteBuffer unsent;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /** Sends all of it and waits for the answers; after Ctrl-C it does not return. */
    public Tally run(Traffic traffic) {
        try (Selector selector = Selector.open()) {
            Tally tally = new Run(selector, traffic).run();
            if (AtCtrlC.hasBegun()) {
                AtCtrlC.stay();
            }
            return tally;
        } catch (IOException e) {
            throw new UncheckedIOException("load on " + server + " failed", e);
        }
    }

    private final class Run {
        private final Selector selector;
        private final Traffic traffic;
        private final Tally tally = new Tally();
        private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private final Deque<Connection> idle = new ArrayDeque<>();
        private final PriorityQueue<Due> again = new PriorityQueue<>();
        private final long startNs = System.nanoTime();
        private int sent;
        private int open;

        Run(Selector selector, Traffic traffic) {
            this.selector = selector;
            this.traffic = traffic;
        }

        Tally run() throws IOException {
            tally.start();
            for (int i = 0; i < Math.min(connections, traffic.size()); i++) {
                idle.add(connect());
            }
            while (isUnfinished()) {
                if (mustEnd.getAsBoolean() || System.nanoTime() - startNs > limitNs) {
                    tally.cutOff();
                    break;
                }
                sendDue();
                selector.select(this::ready, waitMs());
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            tally.end();
            return tally;
        }

        private boolean isUnfinished() {
            return sent < traffic.size() || !again.isEmpty() || open > 0;
        }

        private Connection connect() throws IOException {
            SocketChannel channel = SocketChannel.open(server);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            Connection connection = new Connection(channel);
            channel.register(selector, SelectionKey.OP_READ, connection);
            return connection;
        }

        private void sendDue() throws IOException {
            long nowNs = System.nanoTime();
            while (!idle.isEmpty()) {
                if (againAtNs() <= nowNs) {
                    send(again.remove().number(), nowNs);
                } else if (sent < traffic.size() && dueNs(sent) <= nowNs) {
                    long dueNs = ratePerS > 0 ? dueNs(sent) : nowNs;
                    tally.late(nowNs - dueNs);
                    send(sent++, dueNs);
                } else {
                    return;
                }
            }
        }

        private long againAtNs() {
            Due next = again.peek();
            return next == null ? Long.MAX_VALUE : next.atNs();
        }

        private long dueNs(int number) {
            return ratePerS > 0 ? startNs + (long) (traffic.dueS(number, ratePerS) * 1e9) : startNs;
        }

        private void send(int number, long sinceNs) throws IOException {
            Connection connection = idle.remove();
            connection.number = number;
            connection.sinceNs = sinceNs;
            connection.reply.clear();
            open++;
            ByteBuffer out = ByteBuffer.wrap(traffic.request(number));
            SelectionKey key = connection.channel.keyFor(selector);
            try {
                connection.channel.write(out);
            } catch (IOException e) {
                lost(key, connection);
                return;
            }
            if (out.hasRemaining()) {
                connection.unsent = out;
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        }

        /** How long nothing is due; a connection that gets free ends the wait. */
        private long waitMs() {
            long nextNs = Long.MAX_VALUE;
            if (!idle.isEmpty()) {
                nextNs = againAtNs();
                nextNs = sent < traffic.size() ? Math.min(nextNs, dueNs(sent)) : nextNs;
            }
            if (nextNs == Long.MAX_VALUE) {
                return SELECT_MS;
            }
            return Math.max(1, Math.min((nextNs - System.nanoTime()) / 1_000_000, SELECT_MS));
        }

        private void ready(SelectionKey key) {
            Connection connection = (Connection) key.attachment();
            try {
                if (key.isWritable()) {
                    finishSending(key, connection);
                }
                if (key.isReadable()) {
                    read(key, connection);
                }
            } catch (IOException e) {
                lost(key, connection);
            }
        }

        private void finishSending(SelectionKey key, Connection connection) throws IOException {
            ByteBuffer unsent = connection.unsent;
            if (unsent != null) {
                connection.channel.write(unsent);
            }
            if (unsent == null || !unsent.hasRemaining()) {
                key.interestOps(SelectionKey.OP_READ);
            }
        }

        private void read(SelectionKey key, Connection connection) throws IOException {
            in.clear();
            if (connection.channel.read(in) < 0) {
                lost(key, connection);
                return;
            }
            in.flip();
            if (connection.number < 0 || !connection.reply.take(in)) {
                return;
            }
            answered(connection);
            if (connection.reply.closes()) {
                replace(key, connection);
            } else {
                idle.add(connection);
            }
        }

        private void answered(Connection connection) {
            Reply reply = connection.reply;
            long nowNs = System.nanoTime();
            Answer answer = new Answer(
                    connection.number,
                    reply.status(),
                    reply.word(),
                    reply.retryAfterMs(),
                    nowNs - connection.sinceNs);
            connection.number = NONE;
            open--;
            tally.add(answer);
            plan(answer.number(), traffic.againAfterMs(answer), nowNs);
        }

        private void plan(int number, long againMs, long nowNs) {
            if (againMs != Traffic.NEVER) {
                again.add(new Due(nowNs + againMs * 1_000_000L, number));
            }
        }

        /** The server closed it: what it had not answered is unknown. */
        private void lost(SelectionKey key, Connection connection) {
            int number = connection.number;
            if (number >= 0) {
                tally.lost();
                open--;
                plan(number, traffic.againAfterLossMs(number), System.nanoTime());
            }
            replace(key, connection);
        }

        private void replace(SelectionKey key, Connection connection) {
            key.cancel();
            idle.remove(connection);
            try {
                connection.channel.close();
                idle.add(connect());
            } catch (IOException e) {
                throw new UncheckedIOException("load on " + server + " failed", e);
            }
        }
    }
}
