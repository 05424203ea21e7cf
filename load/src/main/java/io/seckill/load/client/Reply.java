package io.seckill.load.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One HTTP/1.1 answer as far as it has arrived, read without keeping more than its body.
 *
 * <p>Knows what nginx and Tomcat send: a Content-Length or chunks. Anything else is an error of the
 * server under test and ends its connection.
 */
final class Reply {

    private static final int MAX_BYTES = 64 * 1024;
    private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

    private final byte[] bytes = new byte[MAX_BYTES];
    private int size;
    private int bodyAt = -1;
    private int length = -1; // of the body; -1 while the head is not here; chunked: none
    private boolean chunked;

    void clear() {
        size = 0;
        bodyAt = -1;
        length = -1;
        chunked = false;
    }

    /** Takes what there is; true when the answer is whole. */
    boolean take(ByteBuffer in) {
        int count = Math.min(in.remaining(), MAX_BYTES - size);
        if (count == 0 && in.hasRemaining()) {
            throw new IllegalStateException("an answer of more than " + MAX_BYTES + " bytes");
        }
        in.get(bytes, size, count);
        size += count;
        if (bodyAt < 0) {
            readHead();
        }
        if (bodyAt < 0) {
            return false;
        }
        return chunked
                ? endsWith("\r\n0\r\n\r\n") || text(bodyAt, size).equals("0\r\n\r\n")
                : size >= bodyAt + length;
    }

    private void readHead() {
        int end = indexOf(END_OF_HEAD, 0);
        if (end < 0) {
            return;
        }
        bodyAt = end + END_OF_HEAD.length;
        String head = text(0, bodyAt).toLowerCase(java.util.Locale.ROOT);
        int at = head.indexOf("\r\ncontent-length:");
        if (at >= 0) {
            int from = at + "\r\ncontent-length:".length();
            length = Integer.parseInt(
                    head.substring(from, head.indexOf("\r\n", from)).strip());
        } else if (head.contains("\r\ntransfer-encoding: chunked")) {
            chunked = true;
        } else {
            length = 0;
        }
    }

    int status() {
        return Integer.parseInt(text(9, 12));
    }

    /** The body's code, else its status (of a result), else HTTP's. */
    String word() {
        String code = field("code");
        String word = code.isEmpty() ? field("status") : code;
        return word.isEmpty() ? text(9, 12) : word;
    }

    /** The text between {@code "name":"} and the next quote; empty when it is not there. */
    String field(String name) {
        byte[] before = ("\"" + name + "\":\"").getBytes(StandardCharsets.US_ASCII);
        int at = indexOf(before, Math.max(bodyAt, 0));
        if (at < 0) {
            return "";
        }
        int from = at + before.length;
        int to = from;
        while (to < size && bytes[to] != '"') {
            to++;
        }
        return text(from, to);
    }

    /** The whole number after {@code "name":}; 0 when it is not there. */
    int number(String name) {
        byte[] before = ("\"" + name + "\":").getBytes(StandardCharsets.US_ASCII);
        int at = indexOf(before, Math.max(bodyAt, 0));
        int value = 0;
        for (int i = at + before.length; at >= 0 && i < size && isDigit(bytes[i]); i++) {
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    String body() {
        return text(Math.max(bodyAt, 0), size);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private boolean endsWith(String tail) {
        return size - bodyAt >= tail.length()
                && text(size - tail.length(), size).equals(tail);
    }

    private int indexOf(byte[] what, int from) {
        outer:
        for (int i = from; i <= size - what.length; i++) {
            for (int j = 0; j < what.length; j++) {
                if (bytes[i + j] != what[j]) {
                    continue outer;
                }
            }
            return i;
        }
        return -1;
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
