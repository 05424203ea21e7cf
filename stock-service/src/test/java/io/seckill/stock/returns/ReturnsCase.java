package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.mq.MessageSender;
import io.seckill.common.mq.MessageSender.Outgoing;
import io.seckill.contracts.StockReturn;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Sends returns as order-service does and looks for their rows. */
abstract class ReturnsCase {

    final Stock stock = Stock.running();
    private MessageSender sender;

    @BeforeEach
    void start() {
        sender = new MessageSender("stock-it", Address.of(stock.broker.namesrv()));
        sender.start();
    }

    @AfterEach
    void stop() {
        sender.stop();
    }

    final Buyers sale(String productId, int units) {
        assertThat(stock.create("{'productId':'" + productId + "','stock':" + units + "}")
                        .status())
                .isEqualTo(201);
        return new Buyers(stock, productId);
    }

    final void send(List<String> bodies) {
        assertThat(sender.send(
                        StockReturn.TOPIC,
                        bodies.stream().map(body -> new Outgoing("key", body)).toList()))
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

    final List<String> parked() {
        return stock.sql()
                .queryForList(
                        "SELECT reason FROM parked_message WHERE service = 'stock-service'",
                        String.class);
    }
}
