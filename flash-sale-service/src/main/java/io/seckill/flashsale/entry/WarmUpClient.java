package io.seckill.flashsale.entry;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * Attempts as the edge sends them, one after the other on one connection. Not a client of a
 * library: what that would need to become warm itself is what the service has to become so.
 */
final class WarmUpClient implements Closeable {

    private static final int TIMEOUT_MS = 2_000;
    private static final String LENGTH = "content-length: ";

    private final Socket socket;
    private final InputStream answers;

    WarmUpClient(@Nullable InetAddress address, int port) throws IOException {
        socket = new Socket(address, port);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        answers = new BufferedInputStream(socket.getInputStream());
    }

    /** Returns when it is answered, whatever the answer. */
    void attempt(String user) throws IOException {
        String request = "POST " + WarmUp.ROUTE + " HTTP/1.1\r\nHost: warm-up\r\n"
                + EdgeHeaders.USER + ": " + user + "\r\n"
                + EdgeHeaders.PRODUCT + ": " + Ids.WARM_UP_PRODUCT + "\r\n"
                + EdgeHeaders.QUANTITY + ": 1\r\nContent-Length: 0\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
        int length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
                length = Integer.parseInt(line.substring(LENGTH.length()));
            }
        }
        answers.skipNBytes(length);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = answers.read(); c != '\n'; c = answers.read()) {
            if (c < 0) {
                throw new EOFException("the service closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
