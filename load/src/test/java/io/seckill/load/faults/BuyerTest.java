package io.seckill.load.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One buyer who is told one word after the other, whatever it asks. */
class BuyerTest {

    private static final String ACCEPTED = "{'code':'ACCEPTED','reservationId':'%s'}";
    private static final String REJECTED = "{'status':'REJECTED','reason':'LOST'}";
    private static final String ORDERED =
            "{'status':'ORDERED','orderSn':'7','payBy':'2026-01-01T00:00:00Z'}";

    private final ConcurrentLinkedQueue<String> words = new ConcurrentLinkedQueue<>();
    private final HttpServer shop = start();
    private Habits habits = new Habits(false, false, false);
    private boolean leaves;

    private HttpServer start() {
        try {
            HttpServer server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                byte[] body = words.remove().replace('\'', '"').getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
            return server;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        shop.stop(0);
    }

    @Test
    void rejected_reservation_that_becomes_an_order_is_wrong() {
        Buyer.Told told = told(
                ACCEPTED.formatted("a"),
                REJECTED,
                "{'code':'ALREADY_BOUGHT','reservationId':'a'}",
                ORDERED);
        assertThat(told.wrong()).isEqualTo("a was REJECTED, then ORDERED");
    }

    @Test
    void next_reservation_may_become_an_order() {
        Buyer.Told told = told(ACCEPTED.formatted("a"), REJECTED, ACCEPTED.formatted("b"), ORDERED);
        assertThat(told.wrong()).isEmpty();
        assertThat(told.rejected()).containsExactly("a");
        assertThat(told.orderSn()).isEqualTo("7");
    }

    @Test
    void promise_that_the_shop_knows_nothing_of_for_seconds_is_forgotten() {
        List<String> silence = Collections.nCopies(12, "{'status':'NONE'}");
        List<String> all = new ArrayList<>(List.of(ACCEPTED.formatted("a")));
        all.addAll(silence);
        all.add(ACCEPTED.formatted("b"));
        all.addAll(silence.subList(1, 12));
        all.add(ORDERED);
        assertThat(told(all.toArray(String[]::new)).forgotten()).containsExactly("a");
    }

    /** Its order may be closed before; then another's may be had. */
    @Test
    void user_who_pays_late_is_refused_and_asks_again_once_the_order_is_cancelled() {
        habits = new Habits(true, true, false);
        leaves = true;
        Buyer.Told told = told(
                ACCEPTED.formatted("a"),
                ORDERED,
                ORDERED,
                "{'code':'ORDER_NOT_PAYABLE'}",
                "{'status':'CANCELLED'}",
                ACCEPTED.formatted("b"),
                "{'status':'ORDERED','orderSn':'8','payBy':'2026-01-01T00:00:00Z'}",
                "{'code':'PAID'}");
        assertThat(told.tooLate()).isEqualTo(1);
        assertThat(told.wrong()).isEmpty();
        assertThat(told.word()).isEqualTo("PAID");
        assertThat(told.orderSn()).isEqualTo("8");
    }

    private Buyer.Told told(String... all) {
        words.addAll(List.of(all));
        int port = shop.getAddress().getPort();
        Buyer buyer = new Buyer(
                "ann", new Shop(HttpClient.newHttpClient(), port, "518", "", 1), 0, habits, leaves);
        buyer.run();
        return buyer.told();
    }
}
