package io.seckill.order.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.Loop;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.order.RealService;
import io.seckill.rocketmq.RocketMqMessaging;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxIT extends RealService {

    @Autowired
    OutboxRows rows;

    @Autowired
    Outbox outbox;

    @Autowired
    Loop outboxLoop;

    @Autowired
    MessageSender sender;

    @Autowired
    TransactionTemplate template;

    @Test
    void message_the_broker_did_not_confirm_stays() {
        MessageSender toNobody =
                new RocketMqMessaging("nobody", Address.of("127.0.0.1:1")).sender();
        toNobody.start();
        try {
            OutboxRelay cutOff = new OutboxRelay(rows, toNobody, template);
            OrderEvent event = event();
            awaitTold();
            template.executeWithoutResult(status -> {
                outbox.tell(event);
                assertThatIllegalStateException()
                        .isThrownBy(cutOff::relay)
                        .withMessageContaining(OrderEvent.TOPIC);
                assertThat(rows.lockOldest(64))
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

    @RepeatedTest(4)
    void two_instances_at_once_send_each_row_once_and_leave_none() throws Exception {
        awaitTold();
        outboxLoop.stop();
        try {
            List<OrderEvent> events =
                    Stream.generate(OutboxIT::event).limit(1_000).toList();
            outbox.tell(events);
            CountingSender counting = new CountingSender();
            Callable<Object> instance = () -> {
                OutboxRelay relay = new OutboxRelay(rows, counting, template);
                await().atMost(Duration.ofSeconds(25)).until(() -> !relay.relay() && isEmpty());
                return true;
            };

            atOnce(List.of(instance, instance));

            assertThat(counting.keys)
                    .containsExactlyInAnyOrderElementsOf(
                            events.stream().map(OrderEvent::reservationId).toList());
        } finally {
            outboxLoop.start();
        }
    }

    @Test
    void row_is_kept_when_only_the_other_topic_is_confirmed() {
        awaitTold();
        outboxLoop.stop();
        try {
            OrderEvent event = event();
            outbox.tell(event);
            outbox.giveBack(List.of(new StockReturn(
                    event.reservationId(), "518", "alice", 1, 0, 1, Action.RETURN, "PAY_TIMEOUT")));
            CountingSender counting = new CountingSender();
            counting.refused = OrderEvent.TOPIC;

            assertThatIllegalStateException()
                    .isThrownBy(new OutboxRelay(rows, counting, template)::relay);

            assertThat(sql.queryForList("SELECT topic FROM outbox", String.class))
                    .containsExactly(OrderEvent.TOPIC);
        } finally {
            outboxLoop.start();
        }
        awaitTold();
    }

    /** Longer, and the database would cut the page's connection, and it be sent again for ever. */
    @Test
    void what_a_slow_broker_has_confirmed_is_deleted_before_the_page_has_lasted_too_long() {
        awaitTold();
        outboxLoop.stop();
        try {
            outbox.tell(Stream.generate(OutboxIT::event).limit(OutboxRelay.PAGE).toList());
            CountingSender slow = new CountingSender();
            slow.pause = OutboxRelay.SENDING.dividedBy(2);

            assertThatIllegalStateException()
                    .isThrownBy(new OutboxRelay(rows, slow, template)::relay);

            assertThat(slow.keys).hasSize(2 * MessageSender.MAX_BATCH);
            assertThat(sql.queryForObject("SELECT COUNT(*) FROM outbox", Integer.class))
                    .isEqualTo(OutboxRelay.PAGE - 2 * MessageSender.MAX_BATCH);
        } finally {
            outboxLoop.start();
        }
        awaitTold();
    }

    private boolean isEmpty() {
        return sql.queryForObject("SELECT COUNT(*) FROM outbox", Long.class) == 0;
    }

    /** The real one, and what went through it. */
    private final class CountingSender implements MessageSender {

        final List<String> keys = new CopyOnWriteArrayList<>();
        volatile String refused = "none";
        volatile Duration pause = Duration.ZERO;

        @Override
        public boolean send(String topic, List<Outgoing> batch) {
            batch.forEach(message -> keys.add(message.key()));
            boolean sent = !topic.equals(refused) && sender.send(topic, batch);
            await().pollDelay(pause).until(() -> true);
            return sent;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return true;
        }
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
