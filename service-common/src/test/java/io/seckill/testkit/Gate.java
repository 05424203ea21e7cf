package io.seckill.testkit;

import io.seckill.common.Address;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An address in front of a part: nothing listens there before {@link #open}, then every byte goes
 * through both ways.
 */
public final class Gate implements Closeable {

    private final Address part;
    private final int port = Part.freePort();
    private final List<Closeable> opened = new CopyOnWriteArrayList<>();

    /** {@code part} is {@code host:port}. */
    public Gate(String part) {
        this.part = Address.of(part);
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    public void open() {
        try {
            ServerSocket gate = new ServerSocket(port, 8, InetAddress.getLoopbackAddress());
            opened.add(gate);
            inBackground(() -> admit(gate));
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port + " was taken meanwhile", e);
        }
    }

    /** Ends when the gate is closed. */
    private void admit(ServerSocket gate) throws IOException {
        while (true) {
            Socket client = gate.accept();
            opened.add(client);
            Socket server = new Socket(part.host(), part.port());
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

    private static void inBackground(Passage passage) {
        Thread thread = new Thread(
                () -> {
                    try {
                        passage.run();
                    } catch (IOException e) {
                        // Closed from one side: the test is over, or the peer went away.
                    }
                },
                "gate");
        thread.setDaemon(true);
        thread.start();
    }

    private interface Passage {
        void run() throws IOException;
    }
}
