package io.seckill.stock.parked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.StockReturn;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParkedMessagesIT {

    private static final Duration SOON = Duration.ofSeconds(60);

    private final Stock stock = Stock.running();

    @AfterEach
    void forget() {
        stock.sql().update("DELETE FROM parked_message WHERE body LIKE '%parked-it%'");
    }

    /** Nothing can be made of it this time either, so it comes back under the broker's id. */
    @Test
    void parked_message_is_sent_again_and_leaves_the_table() {
        long id = park("parked-it 1");
        assertThat((Object) of(id).get("topic")).isEqualTo(StockReturn.TOPIC);
        assertThat((Object) of(id).get("reason")).isEqualTo("bad");

        Answer answer = stock.post("/admin/parked/" + id + "/replay");

        assertThat(answer.status()).isEqualTo(200);
        assertThat((Object) answer.body().get("body")).isEqualTo("parked-it 1");
        await().atMost(SOON).until(() -> ids("parked-it 1").stream().anyMatch(newer -> newer > id));
        assertThat(ids("parked-it 1")).doesNotContain(id);
    }

    @Test
    void pages_go_from_the_newest_to_the_oldest() {
        long first = park("parked-it 2");
        long second = park("parked-it 3");

        assertThat(listed("/admin/parked").subList(0, 2)).containsExactly(second, first);
        assertThat(listed("/admin/parked?before=" + second)).startsWith(first);
        assertThat(((Number) stock.get("/admin/parked").body().get("count")).longValue())
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void what_is_not_there_is_named() {
        Answer answer = stock.post("/admin/parked/999999999/replay");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("message")).isEqualTo("there is no parked message 999999999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "1e3", "1234567890123456789"})
    void what_is_no_id_is_refused(String id) {
        assertThat(stock.post("/admin/parked/" + id + "/replay").text("message"))
                .isEqualTo("id must be the id of a parked message");
        assertThat(stock.get("/admin/parked?before=" + id).text("message"))
                .isEqualTo("before must be the id of a parked message");
    }

    @Test
    void message_stays_parked_while_the_broker_is_away() {
        long id = park("parked-it 4");
        stock.broker.kill();
        try {
            Answer answer = stock.post("/admin/parked/" + id + "/replay");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("message")).isEqualTo("the broker is away; call again");
            assertThat(ids("parked-it 4")).containsExactly(id);
        } finally {
            stock.broker.start();
        }
        await().atMost(SOON)
                .until(() -> stock.post("/admin/parked/" + id + "/replay").status() == 200);
    }

    private long park(String body) {
        stock.sql()
                .update(
                        "INSERT INTO parked_message (service, topic, message_id, body, reason,"
                                + " parked_at_ms) VALUES ('stock-service', ?, ?, ?, 'bad', 1)",
                        StockReturn.TOPIC,
                        body,
                        body);
        return ids(body).get(0);
    }

    private List<Long> ids(String body) {
        return stock.sql()
                .queryForList("SELECT id FROM parked_message WHERE body = ?", Long.class, body);
    }

    private Map<?, ?> of(long id) {
        return messages("/admin/parked").stream()
                .filter(one -> number(one) == id)
                .findFirst()
                .orElseThrow();
    }

    private List<Long> listed(String path) {
        return messages(path).stream().map(ParkedMessagesIT::number).toList();
    }

    private List<Map<?, ?>> messages(String path) {
        return ((List<?>) stock.get(path).body().get("messages"))
                .stream().<Map<?, ?>>map(one -> (Map<?, ?>) one).toList();
    }

    private static long number(Map<?, ?> one) {
        return ((Number) one.get("id")).longValue();
    }
}
