package io.seckill.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * An address in front of a server: nothing listens there before {@link #open}, then every byte goes
 * through both ways, unless replies are to be lost or late.
 */
public class TcpProxy implements Closeable {

    private static final int BUFFER_BYTES = 65_536;

    private final int serverPort;
    private final int port = LocalProcess.freePort();
    private final List<Closeable> opened = new CopyOnWriteArrayList<>();
    private volatile boolean losesReplies;
    private volatile long delayNs;

    /** {@code server} is {@code host:port} of a process on this machine. */
    public TcpProxy(String server) {
        serverPort = Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    public final int port() {
        return port;
    }

    /** From now on the server hears and does everything, and nobody hears of it. */
    public final void loseReplies(boolean lose) {
        losesReplies = lose;
    }

    /** From now on each piece of a reply comes so much later. */
    public final void delayReplies(Duration delay) {
        delayNs = delay.toNanos();
    }

    public void open() {
        try {
            ServerSocket listening = new ServerSocket(port, 8, InetAddress.getLoopbackAddress());
            opened.add(listening);
            inBackground(() -> accept(listening));
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port + " was taken meanwhile", e);
        }
    }

    /** Ends when the proxy is closed. */
    private void accept(ServerSocket listening) throws IOException {
        while (true) {
            Socket client = listening.accept();
            opened.add(client);
            inBackground(() -> {
                try (client;
                        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
                    opened.add(server);
                    pass(client, server);
                }
            });
        }
    }

    /** When one direction ends so does the other: a peer that went away is missed at once. */
    private void pass(Socket client, Socket server) throws IOException {
        Talk talk = talk();
        inBackground(() -> {
            try (client;
                    server) {
                talk.replies(server.getInputStream(), client.getOutputStream());
            }
        });
        talk.requests(client.getInputStream(), server.getOutputStream());
    }

    /** What passes on one connection, until it ends. */
    protected Talk talk() {
        return new Talk();
    }

    protected class Talk {

        protected void requests(InputStream from, OutputStream to) throws IOException {
            from.transferTo(to);
        }

        final void replies(InputStream from, OutputStream to) throws IOException {
            byte[] piece = new byte[BUFFER_BYTES];
            for (int size = from.read(piece); size >= 0; size = from.read(piece)) {
                LockSupport.parkNanos(delayNs);
                if (!losesReplies) {
                    to.write(reply(Arrays.copyOf(piece, size)));
                }
            }
        }

        /** What is passed on of it. A throw ends the connection, both ways. */
        protected byte[] reply(byte[] piece) throws IOException {
            return piece;
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable one : opened) {
            one.close();
        }
    }

    private static void inBackground(Transfer transfer) {
        Thread thread = new Thread(
                () -> {
                    try {
                        transfer.run();
                    } catch (IOException e) {
                        // Closed from one side: the test is over, or the peer went away.
                    }
                },
                "tcp-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private interface Transfer {
        void run() throws IOException;
    }
}
