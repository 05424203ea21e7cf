package io.seckill.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An address in front of a server: nothing listens there before {@link #open}, then every byte goes
 * through both ways.
 */
public final class TcpProxy implements Closeable {

    private final int serverPort;
    private final int port = LocalProcess.freePort();
    private final List<Closeable> opened = new CopyOnWriteArrayList<>();

    /** {@code server} is {@code host:port} of a process on this machine. */
    public TcpProxy(String server) {
        serverPort = Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    }

    public String address() {
        return "127.0.0.1:" + port;
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
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            opened.add(server);
            inBackground(() -> client.getInputStream().transferTo(server.getOutputStream()));
            inBackground(() -> server.getInputStream().transferTo(client.getOutputStream()));
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
