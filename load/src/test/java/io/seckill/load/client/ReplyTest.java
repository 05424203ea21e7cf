package io.seckill.load.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReplyTest {

    private static final String REFUSED = wire("""
            HTTP/1.1 429 Too Many Requests
            Content-Type: application/json
            Content-Length: 63
            Connection: keep-alive

            {"code":"TOO_MANY_REQUESTS","message":"x","retryAfterMs":250}
            """);
    private static final String CHUNKED = wire("""
            HTTP/1.1 200
            Transfer-Encoding: chunked

            1b
            {"status":"ORDERED","x":10}
            0

            """);

    private final Reply reply = new Reply();

    @Test
    void an_answer_with_a_length_is_whole_at_its_last_byte() throws IOException {
        assertThat(take(REFUSED.substring(0, REFUSED.length() - 1))).isFalse();
        assertThat(take(REFUSED.substring(REFUSED.length() - 1))).isTrue();
        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.word()).isEqualTo("TOO_MANY_REQUESTS");
        assertThat(reply.retryAfterMs()).isEqualTo(250);
        assertThat(reply.closes()).isFalse();
    }

    @Test
    void an_answer_is_read_wherever_it_is_split() throws IOException {
        for (String whole : new String[] {REFUSED, CHUNKED}) {
            for (int at = 1; at < whole.length(); at++) {
                reply.clear();
                assertThat(take(whole.substring(0, at))).as("split at %d", at).isFalse();
                assertThat(take(whole.substring(at))).as("split at %d", at).isTrue();
            }
        }
    }

    @Test
    void chunks_end_with_the_empty_one_and_the_status_of_a_result_is_its_word() throws IOException {
        assertThat(take(CHUNKED)).isTrue();
        assertThat(reply.word()).isEqualTo("ORDERED");
        assertThat(reply.retryAfterMs()).isZero();
    }

    @Test
    void no_chunk_at_all_is_a_whole_answer() throws IOException {
        assertThat(take("HTTP/1.1 204 \r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"))
                .isTrue();
        assertThat(reply.word()).isEqualTo("204");
    }

    @Test
    void a_body_without_code_or_status_is_told_by_http() throws IOException {
        assertThat(take("HTTP/1.1 502 Bad Gateway\r\nCONTENT-LENGTH:3\r\n\r\nabc"))
                .isTrue();
        assertThat(reply.word()).isEqualTo("502");
    }

    @Test
    void the_last_answer_of_a_connection_says_so() throws IOException {
        take("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        assertThat(reply.closes()).isTrue();
        reply.clear();
        assertThat(reply.closes()).isFalse();
    }

    @Test
    void an_answer_without_end_is_an_error_and_not_kept() {
        assertThatThrownBy(() -> take("HTTP/1.1 200 OK\r\n" + "x".repeat(70_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("65536 bytes");
    }

    private static String wire(String text) {
        return text.replace("\n", "\r\n");
    }

    private boolean take(String text) throws IOException {
        return reply.take(ByteBuffer.wrap(text.getBytes(US_ASCII)));
    }
}
