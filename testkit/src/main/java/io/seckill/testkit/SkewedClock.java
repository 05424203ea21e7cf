package io.seckill.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A real Redis as one sees it whose clock is ahead or behind: its answers to TIME are shifted, and
 * so is each time in milliseconds that a command carries, the other way, for the server compares it
 * with its own clock. What the server itself stamps is not shifted. (libfaketime cannot do it:
 * Debian's Redis does not start under it, for jemalloc asks for the time while it is loaded.)
 */
public final class SkewedClock extends TcpProxy {

    private static final Pattern MILLIS = Pattern.compile("\\d{13}");
    private static final Pattern TIME_REPLY =
            Pattern.compile("(\\*2\\r\\n\\$10\\r\\n)(\\d{10})(\\r\\n.*)", Pattern.DOTALL);

    private volatile long aheadMs;

    public SkewedClock(String server) {
        super(server);
    }

    /** Of whole seconds. */
    public void setAhead(Duration ahead) {
        aheadMs = ahead.toSeconds() * 1_000;
    }

    @Override
    protected Talk talk() {
        return new Skewed();
    }

    private final class Skewed extends Talk {

        private final AtomicInteger asked = new AtomicInteger();

        @Override
        protected void requests(InputStream from, OutputStream to) throws IOException {
            InputStream in = new BufferedInputStream(from);
            OutputStream out = new BufferedOutputStream(to);
            while (true) {
                List<String> command = read(in);
                if (command.get(0).equals("TIME")) {
                    asked.incrementAndGet();
                }
                write(out, command);
                if (in.available() == 0) {
                    out.flush();
                }
            }
        }

        private void write(OutputStream out, List<String> command) throws IOException {
            out.write(bytes("*" + command.size() + "\r\n"));
            for (String word : command) {
                byte[] shifted = bytes(
                        MILLIS.matcher(word).matches()
                                ? Long.toString(Long.parseLong(word) - aheadMs)
                                : word);
                out.write(bytes("$" + shifted.length + "\r\n"));
                out.write(shifted);
                out.write(bytes("\r\n"));
            }
        }

        /** Whoever asks for the time asks for nothing else meanwhile. */
        @Override
        protected byte[] reply(byte[] piece) {
            if (asked.get() == 0) {
                return piece;
            }
            asked.decrementAndGet();
            Matcher time = TIME_REPLY.matcher(text(piece));
            if (!time.matches()) {
                throw new IllegalStateException("no answer to TIME: " + text(piece));
            }
            long seconds = Long.parseLong(time.group(2)) + aheadMs / 1_000;
            return bytes(time.group(1) + seconds + time.group(3));
        }
    }

    private static List<String> read(InputStream in) throws IOException {
        int count = Integer.parseInt(line(in).substring(1));
        List<String> command = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = Integer.parseInt(line(in).substring(1));
            command.add(text(in.readNBytes(length)));
            line(in);
        }
        return command;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.append((char) next);
        }
        return line.substring(0, line.length() - 1);
    }

    /** Byte by byte, whatever they mean. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
