package io.seckill.order.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.OrderEvent;
import io.seckill.order.RealService;
import io.seckill.rocketmq.RocketMqMessaging;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxIT extends RealService {

    @Autowired
    OutboxRows rows;

    @Autowired
    Outbox outbox;

    @Autowired
    TransactionTemplate template;

    @Test
    void message_the_broker_did_not_confirm_stays() {
        MessageSender toNobody =
                new RocketMqMessaging("nobody", Address.of("127.0.0.1:1")).sender();
        toNobody.start();
        try {
            OutboxRelay cutOff = new OutboxRelay(rows, toNobody);
            OrderEvent event = event();
            awaitTold();
            template.executeWithoutResult(status -> {
                outbox.tell(event);
                assertThatIllegalStateException()
                        .isThrownBy(cutOff::relay)
                        .withMessageContaining(OrderEvent.TOPIC);
                assertThat(rows.oldest(64))
                        .extracting(OutboxRows.Row::messageKey)
                        .contains(event.reservationId());
                status.setRollbackOnly();
            });
        } finally {
            toNobody.stop();
        }
    }

    @Test
    void message_of_a_transaction_that_was_taken_back_is_never_sent() {
        OrderEvent event = event();
        template.executeWithoutResult(status -> {
            outbox.tell(event);
            status.setRollbackOnly();
        });

        OrderEvent later = event();
        outbox.tell(later);
        awaitTold();
        await().until(() -> !EVENTS.of(later.reservationId()).isEmpty());
        assertThat(EVENTS.of(event.reservationId())).isEmpty();
    }

    private static OrderEvent event() {
        return new OrderEvent(
                reservation("518", "alice", 0).reservationId(),
                "518",
                "alice",
                5,
                OrderEvent.Status.ORDERED,
                "1".repeat(24),
                9,
                null);
    }
}
