package io.seckill.common.mq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.testkit.RocketMqProcess;
import io.seckill.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class MessagesIT {

    private static RocketMqProcess broker;
    private static MessageSender sender;

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Set<String> parked = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failuresLeft = new AtomicInteger();

    @BeforeAll
    static void start() {
        broker = new RocketMqProcess();
        sender = new MessageSender("test", Address.of(broker.namesrv()));
        sender.start();
    }

    @AfterAll
    static void stop() {
        sender.stop();
        broker.close();
    }

    @Test
    void messages_sent_before_the_group_existed_arrive_and_damaged_ones_are_parked() {
        List<MessageSender.Outgoing> batch = IntStream.range(0, MessageSender.MAX_BATCH)
                .mapToObj(MessagesIT::outgoing)
                .toList();
        assertThat(sender.send("early", batch)).isTrue();
        assertThat(sender.send("early", List.of(new MessageSender.Outgoing("k", "{}"))))
                .isTrue();

        consuming("early", () -> {
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == batch.size());
            await().atMost(Duration.ofSeconds(10)).until(() -> parked.size() == 1);
        });
    }

    @Test
    void failing_handler_gets_the_same_message_again() {
        failuresLeft.set(3);
        assertThat(sender.send("failing", List.of(outgoing(1)))).isTrue();

        consuming(
                "failing",
                () -> await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 1));

        assertThat(failuresLeft).hasValueLessThanOrEqualTo(0);
    }

    @Test
    void send_to_a_dead_broker_is_not_confirmed_and_works_after_its_restart(CapturedOutput log) {
        assertThat(sender.send("restart", List.of(outgoing(1)))).isTrue();
        broker.kill();
        assertThat(sender.send("restart", List.of(outgoing(2)))).isFalse();
        assertThat(sender.send("restart", List.of(outgoing(2)))).isFalse();
        broker.start();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> sender.send("restart", List.of(outgoing(3))));
        assertThat(sender.send("restart", List.of(outgoing(4)))).isTrue();

        assertThat(log.getOut())
                .containsOnlyOnce("messages for restart are not confirmed")
                .containsOnlyOnce("messages for restart are confirmed again");
    }

    @Test
    void consumer_starts_before_its_name_server_and_consumes_once_it_is_there() throws Exception {
        assertThat(sender.send("late", List.of(outgoing(1)))).isTrue();
        try (TcpProxy proxy = new TcpProxy(broker.namesrv())) {
            MessageConsumer<Reservation> consumer = consumer("late", proxy.address());
            consumer.start();
            try {
                await().during(Duration.ofSeconds(2))
                        .atMost(Duration.ofSeconds(4))
                        .until(() -> consumer.health().equals(waiting()));
                assertThat(consumer.isRunning()).isTrue();

                proxy.open();
                await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 1);
                assertThat(consumer.health().getDetails()).containsEntry("started", true);
            } finally {
                consumer.stop();
            }
        }
    }

    @Test
    void consumer_without_name_server_can_be_stopped() {
        MessageConsumer<Reservation> consumer = consumer("never", "127.0.0.1:1");
        consumer.start();

        assertThatCode(consumer::stop).doesNotThrowAnyException();

        assertThat(consumer.isRunning()).isFalse();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().contains("consumer of never"));
    }

    @Test
    void backlog_is_what_the_group_has_not_acknowledged() {
        Backlog backlog = new Backlog(sender);
        assertThat(backlog.of("nobody-sent", "backlog-group")).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(sender.send("backlog", List.of(outgoing(i), outgoing(i))))
                    .isTrue();
        }
        assertThat(backlog.of("backlog", "backlog-group")).hasValue(6);
        assertThat(backlog.of("backlog", "other-group")).hasValue(6);

        consuming(
                "backlog",
                () -> await().atMost(Duration.ofSeconds(30))
                        .until(() ->
                                backlog.of("backlog", "backlog-group").equals(OptionalLong.of(0))));

        assertThat(handled).hasSize(3);
        assertThat(backlog.of("backlog", "other-group")).hasValue(6);
        broker.kill();
        assertThat(backlog.of("backlog", "backlog-group")).isEmpty();
        broker.start();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> backlog.of("backlog", "other-group").equals(OptionalLong.of(6)));
    }

    private static Health waiting() {
        return Health.up().withDetail("started", false).build();
    }

    private void consuming(String topic, Runnable check) {
        MessageConsumer<Reservation> consumer = consumer(topic, broker.namesrv());
        consumer.start();
        try {
            check.run();
        } finally {
            consumer.stop();
        }
    }

    private MessageConsumer<Reservation> consumer(String topic, String namesrv) {
        return new MessageConsumer<>(
                topic + "-group", Address.of(namesrv), topic, Reservation.class, new Recorder(), 2);
    }

    private static MessageSender.Outgoing outgoing(int n) {
        String id = "%032x".formatted(n);
        return new MessageSender.Outgoing(
                id, Json.write(new Reservation(id, "518", "alice", 1, 0, 1, 1, 1)));
    }

    private final class Recorder implements MessageHandler<Reservation> {

        @Override
        public void handle(List<Reservation> messages) {
            if (failuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("the database is away");
            }
            messages.forEach(message -> handled.add(message.reservationId()));
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            parked.add(messageId);
        }
    }
}
