package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.StockReturn;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;

/** Sends returns as order-service does and looks for their rows. */
abstract class ReturnsCase {

    final Stock stock = Stock.running();

    final Buyers sale(String productId, int units) {
        assertThat(stock.create("{'productId':'" + productId + "','stock':" + units + "}")
                        .status())
                .isEqualTo(201);
        return new Buyers(stock, productId);
    }

    final void send(List<String> bodies) {
        assertThat(stock.bean(MessageSender.class)
                        .send(
                                StockReturn.TOPIC,
                                bodies.stream()
                                        .map(body -> new Outgoing("key", body))
                                        .toList()))
                .isTrue();
    }

    final void awaitOutcome(String id, String outcome) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(outcome(id)).containsExactly(outcome));
    }

    final List<String> outcome(String id) {
        return stock.sql()
                .queryForList(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        id);
    }

    static long grown(String what, Metrics before, Metrics after) {
        String name = "seckill_" + what + "_total";
        return after.sum(name) - before.sum(name);
    }

    final List<String> parked() {
        return stock.sql()
                .queryForList(
                        "SELECT reason FROM parked_message WHERE service = 'stock-service'",
                        String.class);
    }
}
