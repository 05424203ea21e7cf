package io.seckill.order.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.Loop;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.order.RealService;
import io.seckill.rocketmq.RocketMqMessaging;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
                        .flatExtracting(OutboxRows.Row::messages)
                        .extracting(Outgoing::key)
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
            List<OrderEvent> events = events(1_500);
            template.executeWithoutResult(status -> {
                for (int from = 0; from < events.size(); from += 5) { // several pages
                    outbox.tell(events.subList(from, from + 5));
                }
            });
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
            outbox.tell(events(4 * MessageSender.MAX_BATCH));
            CountingSender slow = new CountingSender();
            slow.pause = OutboxRelay.SENDING.dividedBy(2);

            assertThatIllegalStateException()
                    .isThrownBy(new OutboxRelay(rows, slow, template)::relay);

            assertThat(slow.keys).hasSize(2 * MessageSender.MAX_BATCH);
            assertThat(counts()).containsExactly(64, 64);
        } finally {
            outboxLoop.start();
        }
        awaitTold();
    }

    /** Those of a batch in few rows, in their order; small rows share a send. */
    @Test
    void messages_decided_together_are_a_row_for_each_send() {
        awaitTold();
        outboxLoop.stop();
        try {
            List<OrderEvent> events = new ArrayList<>(events(2 * MessageSender.MAX_BATCH + 2));
            outbox.tell(events);
            assertThat(counts()).containsExactly(64, 64, 2);
            for (OrderEvent one : events(3)) {
                outbox.tell(one);
                events.add(one);
            }
            CountingSender counting = new CountingSender();

            assertThat(new OutboxRelay(rows, counting, template).relay()).isFalse();

            assertThat(counting.sizes).containsExactly(64, 64, 5);
            assertThat(counting.bodies)
                    .containsExactlyElementsOf(events.stream().map(Json::write).toList());
            assertThat(isEmpty()).isTrue();
        } finally {
            outboxLoop.start();
        }
    }

    @Test
    void row_that_the_broker_confirmed_in_part_is_sent_again_whole_and_none_before_it() {
        awaitTold();
        outboxLoop.stop();
        try {
            outbox.tell(events(60));
            outbox.tell(events(60)); // four of them in the first send
            CountingSender counting = new CountingSender();
            counting.refusedFrom = 1;
            OutboxRelay relay = new OutboxRelay(rows, counting, template);

            assertThatIllegalStateException().isThrownBy(relay::relay);
            assertThat(counts()).containsExactly(60);
            counting.refusedFrom = Integer.MAX_VALUE;
            assertThat(relay.relay()).isFalse();

            assertThat(counting.sizes).containsExactly(64, 56, 60);
            assertThat(isEmpty()).isTrue();
        } finally {
            outboxLoop.start();
        }
    }

    /** Every text as long as it may be, and all that a row holds. */
    @Test
    void longest_messages_fit_into_a_row() {
        OrderEvent longest = new OrderEvent(
                "f".repeat(32),
                "9".repeat(18),
                "@".repeat(64),
                Long.MAX_VALUE,
                OrderEvent.Status.CANCELLED,
                "9".repeat(24),
                Long.MAX_VALUE,
                "DUPLICATE_USER");
        List<OrderEvent> all = Collections.nCopies(MessageSender.MAX_BATCH, longest);
        template.executeWithoutResult(status -> {
            outbox.tell(all);
            assertThat(sql.queryForObject("SELECT MAX(LENGTH(messages)) FROM outbox", Long.class))
                    .isLessThan(65_536 / 2);
            status.setRollbackOnly();
        });
    }

    /** How many messages each row has. */
    private List<Integer> counts() {
        return sql.queryForList("SELECT message_count FROM outbox ORDER BY id", Integer.class);
    }

    private static List<OrderEvent> events(int count) {
        return Stream.generate(OutboxIT::event).limit(count).toList();
    }

    private boolean isEmpty() {
        return sql.queryForObject("SELECT COUNT(*) FROM outbox", Long.class) == 0;
    }

    /** The real one, and what went through it. */
    private final class CountingSender implements MessageSender {

        final List<String> keys = new CopyOnWriteArrayList<>();
        final List<String> bodies = new CopyOnWriteArrayList<>();
        final List<Integer> sizes = new CopyOnWriteArrayList<>();
        volatile String refused = "none";
        volatile int refusedFrom = Integer.MAX_VALUE; // that send and all after it
        volatile Duration pause = Duration.ZERO;

        @Override
        public boolean send(String topic, List<Outgoing> batch) {
            batch.forEach(message -> keys.add(message.key()));
            batch.forEach(message -> bodies.add(message.body()));
            sizes.add(batch.size());
            boolean sent = !topic.equals(refused)
                    && sizes.size() <= refusedFrom
                    && sender.send(topic, batch);
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
