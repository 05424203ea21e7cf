package io.seckill.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.Messaging;
import io.seckill.testkit.LocalProcess;
import io.seckill.testkit.MessagingContract;
import io.seckill.testkit.RocketMqProcess;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** RocketMQ keeps the contract of the message ports. */
@ExtendWith(OutputCaptureExtension.class)
class RocketMqMessagingIT extends MessagingContract {

    private static RocketMqProcess broker;

    @BeforeAll
    static void start() {
        broker = new RocketMqProcess();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    protected Messaging messaging(String application, String address) {
        return new RocketMqMessaging(application, Address.of(address));
    }

    @Override
    protected String address() {
        return broker.namesrv();
    }

    @Override
    protected LocalProcess broker() {
        return broker;
    }

    /** The client's and the broker's own bounds are 32 each. */
    @Test
    void backlog_comes_in_batches_of_more_than_32_and_at_most_as_long_as_said() {
        Messaging messaging = messaging("long", address());
        MessageSender sender = messaging.sender();
        sender.start();
        Set<Integer> sizes = ConcurrentHashMap.newKeySet();
        AtomicInteger handled = new AtomicInteger();
        MessageConsumer consumer =
                messaging.consumer("long-group", "long", Note.class, handler(sizes, handled), 1);
        try {
            for (int i = 0; i < 40; i++) {
                assertThat(sender.send("long", notes(i * 64, 64))).isTrue();
            }
            consumer.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.get() == 40 * 64);
        } finally {
            consumer.stop();
            sender.stop();
        }
        assertThat(Collections.max(sizes)).isBetween(129, RocketMqConsumer.MAX_BATCH);
    }

    @Test
    void stream_of_single_messages_is_handed_over_in_batches() {
        Messaging messaging = messaging("single", address());
        MessageSender sender = messaging.sender();
        sender.start();
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        AtomicInteger handled = new AtomicInteger();
        assertThat(sender.send("single", notes(0, 1))).isTrue();
        MessageConsumer consumer = messaging.consumer(
                "single-group", "single", Note.class, handler(sizes, handled), 1);
        try {
            consumer.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.get() == 1);
            IntStream.range(1, 2_000).parallel().forEach(n -> sender.send("single", notes(n, 1)));
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.get() == 2_000);
        } finally {
            consumer.stop();
            sender.stop();
        }
        assertThat(sizes).hasSizeLessThan(1_000);
    }

    private static MessageHandler<Note> handler(Collection<Integer> sizes, AtomicInteger handled) {
        return new MessageHandler<>() {
            @Override
            public void handle(List<Note> messages) {
                sizes.add(messages.size());
                handled.addAndGet(messages.size());
            }

            @Override
            public void park(String topic, String messageId, String body, String reason) {
                throw new AssertionError(body);
            }
        };
    }

    /** Longer than the ladder's first step; another consumer takes queues over in the middle. */
    @Test
    void outage_holds_the_client_and_sends_nothing_back() {
        Messaging messaging = messaging("outage", address());
        messaging.sender().start();
        AtomicBoolean away = new AtomicBoolean(true);
        Set<String> handled = ConcurrentHashMap.newKeySet();
        List<MessageConsumer> consumers = Stream.generate(() -> messaging.consumer(
                        "outage-group", "outage", Note.class, awayWhile(away, handled), 2))
                .limit(2)
                .toList();
        try {
            for (int i = 0; i < 40; i++) {
                assertThat(messaging.sender().send("outage", notes(i * 64, 64))).isTrue();
            }
            consumers.get(0).start();
            await().atMost(Duration.ofSeconds(30)).until(() -> isHeld(consumers.get(0)));
            consumers.get(1).start();
            await().during(Duration.ofSeconds(12))
                    .atMost(Duration.ofSeconds(15))
                    .until(handled::isEmpty);

            away.set(false);

            await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == 40 * 64);
            assertThat(consumers).noneMatch(RocketMqMessagingIT::isHeld);
            assertThat(messaging.backlog().of("%RETRY%outage-group", "nobody")).hasValue(0);
        } finally {
            consumers.forEach(MessageConsumer::stop);
            messaging.sender().stop();
        }
    }

    private static boolean isHeld(MessageConsumer consumer) {
        return (boolean) consumer.health().getDetails().get("held");
    }

    private static MessageHandler<Note> awayWhile(AtomicBoolean away, Set<String> handled) {
        return new MessageHandler<>() {
            @Override
            public void handle(List<Note> messages) {
                checkReady();
                messages.forEach(note -> handled.add(note.id()));
            }

            @Override
            public void checkReady() {
                if (away.get()) {
                    throw new IllegalStateException("the database is away");
                }
            }

            @Override
            public void park(String topic, String messageId, String body, String reason) {
                throw new AssertionError(body);
            }
        };
    }

    @Test
    void first_failure_of_a_topic_and_its_recovery_are_logged_once(CapturedOutput log) {
        MessageSender sender = messaging("logged", address()).sender();
        sender.start();
        try {
            assertThat(sender.send("restart", notes(1, 1))).isTrue();
            broker.kill();
            assertThat(sender.send("restart", notes(2, 1))).isFalse();
            assertThat(sender.send("restart", notes(2, 1))).isFalse();
            broker.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> sender.send("restart", notes(3, 1)));
            assertThat(sender.send("restart", notes(4, 1))).isTrue();
        } finally {
            sender.stop();
        }
        assertThat(log.getOut())
                .containsOnlyOnce("messages for restart are not confirmed")
                .containsOnlyOnce("messages for restart are confirmed again");
    }
}
