package io.seckill.stock.entry;

import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.StockReturn;
import io.seckill.stock.returns.ReturnService;
import java.util.List;
import org.springframework.stereotype.Component;

/** Takes {@code stock_return}: a return is settled, WAITING or parked before it is acknowledged. */
@Component
public final class StockReturnHandler implements MessageHandler<StockReturn> {

    private final ReturnService returns;

    StockReturnHandler(ReturnService returns) {
        this.returns = returns;
    }

    /** Throws when the database is away; the messages then come again. */
    @Override
    public void handle(List<StockReturn> messages) {
        returns.settle(messages);
    }

    /** A shard that is away lets its returns wait; that is no failure. */
    @Override
    public void checkReady() {
        returns.checkReady();
    }

    /** What no return can be read from, and what failed again and again. */
    @Override
    public void park(String topic, String messageId, String body, String reason) {
        returns.park(topic, messageId, body, reason);
    }
}
