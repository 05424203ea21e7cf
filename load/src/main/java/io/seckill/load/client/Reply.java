package io.seckill.load.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One HTTP/1.1 answer as far as it has arrived, read in place: the only texts made are those asked
 * for, because the client shares its two cores with what it measures.
 *
 * <p>Knows what nginx and Tomcat send: a Content-Length or chunks, one answer at a time on a
 * connection. Anything else is an error of the server under test and ends its connection.
 */
final class Reply {

    private static final int MAX_BYTES = 64 * 1024;
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    // In lower case: compared without regard to case.
    private static final byte[] END_OF_HEAD = ascii("\r\n\r\n");
    private static final byte[] LENGTH = ascii("content-length:");
    private static final byte[] CHUNKED = ascii("transfer-encoding: chunked");
    private static final byte[] CLOSE = ascii("connection: close");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");
    private static final byte[] AFTER_A_CHUNK = ascii("\r\n0\r\n\r\n");
    private static final byte[] CODE = ascii("\"code\":\"");
    private static final byte[] STATUS = ascii("\"status\":\"");
    private static final byte[] RETRY_AFTER = ascii("\"retryafterms\":");

    private final byte[] bytes = new byte[MAX_BYTES];
    private int size;
    private int bodyAt = -1; // while the head is not here
    private int length;
    private boolean chunked;
    private boolean closes;

    void clear() {
        size = 0;
        bodyAt = -1;
        length = 0;
        chunked = false;
        closes = false;
    }

    /** Takes what there is; true when the answer is whole. */
    boolean take(ByteBuffer in) throws IOException {
        int count = Math.min(in.remaining(), MAX_BYTES - size);
        if (count < in.remaining()) {
            throw new IOException("an answer of more than " + MAX_BYTES + " bytes");
        }
        in.get(bytes, size, count);
        size += count;
        if (bodyAt < 0) {
            readHead();
        }
        return bodyAt >= 0 && (chunked ? hasLastChunk() : size >= bodyAt + length);
    }

    private boolean hasLastChunk() {
        return isAt(AFTER_A_CHUNK, Math.max(size - AFTER_A_CHUNK.length, bodyAt))
                || (size == bodyAt + LAST_CHUNK.length && isAt(LAST_CHUNK, bodyAt));
    }

    private void readHead() {
        int end = indexOf(END_OF_HEAD, 0);
        if (end < 0) {
            return;
        }
        bodyAt = end + END_OF_HEAD.length;
        for (int at = 0; at < end; at++) {
            if (bytes[at] == '\n') {
                readHeader(at + 1);
            }
        }
    }

    private void readHeader(int at) {
        if (isAt(LENGTH, at)) {
            int from = at + LENGTH.length;
            length = digits(bytes[from] == ' ' ? from + 1 : from);
        } else if (isAt(CHUNKED, at)) {
            chunked = true;
        } else if (isAt(CLOSE, at)) {
            closes = true;
        }
    }

    /** The server takes no further request on this connection. */
    boolean closes() {
        return closes;
    }

    int status() {
        return digits(STATUS_AT);
    }

    /** The body's code, else its status (of a result), else HTTP's. */
    String word() {
        String code = textAfter(CODE);
        String word = code.isEmpty() ? textAfter(STATUS) : code;
        return word.isEmpty() ? text(STATUS_AT, STATUS_AT + 3) : word;
    }

    /** 0 when the body has none: a retry does not help. */
    int retryAfterMs() {
        int at = indexOf(RETRY_AFTER, bodyAt);
        return at < 0 ? 0 : digits(at + RETRY_AFTER.length);
    }

    private String textAfter(byte[] name) {
        int at = indexOf(name, bodyAt);
        if (at < 0) {
            return "";
        }
        int from = at + name.length;
        int to = from;
        while (to < size && bytes[to] != '"') {
            to++;
        }
        return text(from, to);
    }

    /** The whole number that begins here; 0 when none does. */
    private int digits(int from) {
        int value = 0;
        for (int i = from; i < size && bytes[i] >= '0' && bytes[i] <= '9'; i++) {
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    private int indexOf(byte[] what, int from) {
        for (int i = from; i <= size - what.length; i++) {
            if (isAt(what, i)) {
                return i;
            }
        }
        return -1;
    }

    private boolean isAt(byte[] what, int at) {
        if (at + what.length > size) {
            return false;
        }
        for (int i = 0; i < what.length; i++) {
            byte b = bytes[at + i];
            if ((b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b) != what[i]) {
                return false;
            }
        }
        return true;
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
