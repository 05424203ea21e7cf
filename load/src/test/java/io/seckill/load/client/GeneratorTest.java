package io.seckill.load.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.load.client.Traffic.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that says what a test tells it to, by the number of the request it is asked. */
class GeneratorTest {

    private static final String OK =
            "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"code\":\"OK\"}";
    private static final String LAST = OK.replace("OK\r\n", "OK\r\nConnection: close\r\n");
    private static final String NOTHING = "";

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void each_request_is_answered_once_on_as_many_connections_as_asked_for() {
        serve(number -> OK);
        Tally tally = run(new Repeated(500, number -> get()), 4);
        assertThat(tally.count("OK")).isEqualTo(500);
        assertThat(tally.answers()).isEqualTo(500);
        assertThat(tally.lostAnswers()).isZero();
        assertThat(connections).hasValue(4);
    }

    @Test
    void a_connection_that_the_server_will_close_is_not_used_again() {
        serve(number -> number % 10 == 9 ? LAST : OK);
        Tally tally = run(new Repeated(100, number -> get()), 2);
        assertThat(tally.count("OK")).isEqualTo(100);
        assertThat(tally.lostAnswers()).isZero();
    }

    @Test
    void a_request_whose_connection_ends_is_lost_and_the_rest_goes_on() {
        serve(number -> number == 7 ? NOTHING : OK);
        Tally tally = run(new Repeated(50, number -> get()), 2);
        assertThat(tally.lostAnswers()).isEqualTo(1);
        assertThat(tally.count("OK")).isEqualTo(49);
    }

    @Test
    void a_lost_request_is_sent_again_where_the_traffic_wants_it() {
        serve(number -> number == 0 ? NOTHING : OK);
        Tally tally = run(new Again(), 1);
        assertThat(tally.lostAnswers()).isEqualTo(1);
        assertThat(tally.count("OK")).isEqualTo(2);
    }

    @Test
    void a_request_is_sent_again_after_the_time_it_was_told() {
        serve(number -> OK);
        Tally tally = run(new Again(), 1);
        assertThat(tally.count("OK")).isEqualTo(2);
        assertThat(tally.seconds()).isGreaterThanOrEqualTo(0.05);
    }

    @Test
    void a_rate_is_kept() {
        serve(number -> OK);
        Tally tally = new Generator(server.getLocalPort(), 4, 200, 10_000)
                .run(new Repeated(40, number -> get()));
        assertThat(tally.seconds()).isBetween(0.19, 2.0);
    }

    @Test
    void a_server_that_never_answers_cuts_the_run_off_and_it_says_so() {
        Tally tally = new Generator(server.getLocalPort(), 1, 0, 300)
                .run(new Repeated(3, number -> get()));
        assertThat(tally.generatorWasTheLimit()).isTrue();
        assertThat(tally.answers()).isZero();
    }

    @Test
    void nothing_is_sent_once_the_run_must_end() {
        serve(number -> OK);
        Tally tally = new Generator(server.getLocalPort(), 2, 0, 10_000, () -> asked.get() >= 10)
                .run(new Repeated(1_000_000, number -> get()));
        assertThat(tally.answers()).isBetween(8, 100);
        assertThat(tally.generatorWasTheLimit()).isTrue();
    }

    @Test
    void a_server_that_is_not_there_is_named() throws IOException {
        int port = server.getLocalPort();
        server.close();
        assertThatThrownBy(() ->
                        new Generator(port, 1, 0, 1_000).run(new Repeated(1, number -> get())))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(":" + port);
    }

    private Tally run(Traffic traffic, int count) {
        return new Generator(server.getLocalPort(), count, 0, 10_000).run(traffic);
    }

    /** One request, sent once more 50 ms after its first answer. */
    private static final class Again implements Traffic {
        private boolean isAnswered;

        @Override
        public int size() {
            return 1;
        }

        @Override
        public byte[] request(int number) {
            return get();
        }

        @Override
        public long againAfterMs(Answer answer) {
            boolean first = !isAnswered;
            isAnswered = true;
            return first ? 50 : NEVER;
        }

        @Override
        public long againAfterLossMs(int number) {
            return 10;
        }
    }

    private static byte[] get() {
        return "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII);
    }

    private void serve(IntFunction<String> answer) {
        start(() -> {
            while (true) {
                Socket client = server.accept();
                connections.incrementAndGet();
                start(() -> answer(client, answer));
            }
        });
    }

    private interface Serving {
        void run() throws IOException;
    }

    private static void start(Serving serving) {
        Thread thread = new Thread(() -> {
            try {
                serving.run();
            } catch (IOException e) {
                // the test is over, or the client has gone
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(Socket client, IntFunction<String> answer) throws IOException {
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII));
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    String text = answer.apply(asked.getAndIncrement());
                    out.write(text.getBytes(US_ASCII));
                    if (text.equals(NOTHING) || text.equals(LAST)) {
                        return;
                    }
                }
            }
        }
    }
}
