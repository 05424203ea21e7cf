package io.seckill.stock;

import io.seckill.common.Address;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A port in front of another one: refuses until it is opened, passes everything on after that. */
final class Gate implements AutoCloseable {

    private final Address behind;
    private final int port;
    private ServerSocket server;

    Gate(String behind) {
        this.behind = Address.of(behind);
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    void open() {
        try {
            server = new ServerSocket(port, 16, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    private void accept() throws IOException {
        while (true) {
            Socket in = server.accept();
            Socket out = new Socket(behind.host(), behind.port());
            daemon(() -> in.getInputStream().transferTo(out.getOutputStream()));
            daemon(() -> out.getInputStream().transferTo(in.getOutputStream()));
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Ends with the sockets. */
    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // A socket was closed: the test is over or a peer has gone.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            if (server != null) {
                server.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
