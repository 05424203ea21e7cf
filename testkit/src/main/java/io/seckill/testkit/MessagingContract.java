package io.seckill.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.Backlog;
import io.seckill.common.message.HeldUpException;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;

/**
 * What an adapter promises who implements the message ports, shown on its real broker. An adapter's
 * XIT extends it and says how the ports are made and which process the broker is.
 *
 * <p>Order is not promised, and neither is "once": every check is one of sets.
 */
public abstract class MessagingContract {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** One looks for the other every 20 s, and both have to. */
    private static final Duration SHARED = Duration.ofSeconds(90);

    private static final Duration AFTER_A_CRASH = Duration.ofSeconds(90);
    private static final Note FORGED = new Note("forged");

    private final List<MessageConsumer> started = new ArrayList<>();
    private Messaging messaging;
    private MessageSender sender;

    /** A new use of the broker at this {@code host:port}. */
    protected abstract Messaging messaging(String application, String address);

    /** Where the broker is found, e.g. its name server; it stays there over a restart. */
    protected abstract String address();

    /** The broker, which is killed and started again on the data it had. */
    protected abstract LocalProcess broker();

    /** A message. */
    public record Note(String id) {

        public Note {
            if (id == null) {
                throw new IllegalArgumentException("id is missing");
            }
        }
    }

    @BeforeEach
    final void startSender() {
        messaging = messaging("contract", address());
        sender = messaging.sender();
        sender.start();
    }

    @AfterEach
    final void stopAll() {
        started.forEach(MessageConsumer::stop);
        sender.stop();
    }

    @Test
    void confirmed_messages_reach_every_group_also_one_that_was_not_there_yet() {
        assertThat(sender.send("early", notes(0, MessageSender.MAX_BATCH))).isTrue();

        Recorder one = consuming("early", "early-one", new Recorder());
        Recorder two = consuming("early", "early-two", new Recorder());

        await().atMost(SOON).until(() -> one.handled.size() == MessageSender.MAX_BATCH);
        await().atMost(SOON).until(() -> two.handled.size() == MessageSender.MAX_BATCH);
        assertThat(one.handled).isEqualTo(two.handled).isEqualTo(ids(0, MessageSender.MAX_BATCH));
    }

    @Test
    void batch_of_none_or_of_one_too_many_is_refused_and_nothing_of_it_sent() {
        assertThat(sender.send("bounds", notes(0, 1))).isTrue();

        assertThatIllegalArgumentException().isThrownBy(() -> sender.send("bounds", List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sender.send("bounds", notes(0, MessageSender.MAX_BATCH + 1)));

        assertThat(messaging.backlog().of("bounds", "bounds-group")).hasValue(1);
    }

    @Test
    void message_sent_twice_is_delivered_twice() {
        assertThat(sender.send("twice", notes(0, 1))).isTrue();
        assertThat(sender.send("twice", notes(0, 1))).isTrue();

        Recorder recorder = consuming("twice", "twice-group", new Recorder());

        await().atMost(SOON).until(() -> recorder.deliveries.get() == 2);
        assertThat(recorder.handled).hasSize(1);
    }

    @Test
    void handler_that_throws_gets_the_same_messages_again_and_loses_none() {
        assertThat(sender.send("failing", notes(0, 3))).isTrue();

        Recorder recorder = new Recorder();
        recorder.failuresLeft.set(3);
        consuming("failing", "failing-group", recorder);

        await().atMost(SOON).until(() -> recorder.handled.equals(ids(0, 3)));
        assertThat(recorder.failuresLeft).hasValueLessThan(0);
    }

    @Test
    void message_that_cannot_be_read_or_believed_is_parked_once_and_the_others_are_handled() {
        List<Outgoing> batch = new ArrayList<>(notes(0, 3));
        batch.add(1, new Outgoing("bad", "{}"));
        batch.add(new Outgoing("worse", "not even JSON"));
        batch.add(new Outgoing("forged", Json.write(FORGED)));
        assertThat(sender.send("damaged", batch)).isTrue();

        Recorder recorder = new Recorder();
        recorder.failuresLeft.set(2);
        recorder.parkFailuresLeft.set(1);
        consuming("damaged", "damaged-group", recorder);

        await().atMost(SOON).until(() -> recorder.handled.equals(ids(0, 3)));
        await().atMost(SOON).until(() -> recorder.parked.size() == 3);
        await().during(Duration.ofSeconds(1)).until(() -> recorder.parked.size() == 3);
        assertThat(recorder.parked)
                .containsExactlyInAnyOrder(
                        "damaged {}", "damaged not even JSON", "damaged " + Json.write(FORGED));
    }

    @Test
    void consumers_of_one_group_share_the_messages() {
        assertThat(sender.send("shared", notes(0, 1))).isTrue();
        Recorder one = consuming("shared", "shared-group", new Recorder());
        Recorder two = consuming("shared", "shared-group", new Recorder());

        AtomicInteger next = new AtomicInteger(1);
        await().atMost(SHARED).until(() -> {
            sender.send("shared", notes(next.getAndIncrement(), 1));
            return !one.handled.isEmpty() && !two.handled.isEmpty();
        });

        await().atMost(SOON).until(() -> {
            Set<String> both = ConcurrentHashMap.newKeySet();
            both.addAll(one.handled);
            both.addAll(two.handled);
            return both.equals(ids(0, next.get()));
        });
    }

    @Test
    void backlog_is_what_the_group_has_not_acknowledged_and_unknown_without_the_broker() {
        Backlog backlog = messaging.backlog();
        assertThat(backlog.of("nobody-sent", "backlog-group")).isEmpty();
        assertThat(backlog.queues("nobody-sent", "backlog-group")).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(sender.send("backlog", notes(i, 2))).isTrue();
        }
        assertThat(backlog.of("backlog", "backlog-group")).hasValue(6);

        consuming("backlog", "backlog-group", new Recorder());
        await().atMost(SOON).until(() -> isKnown(backlog, "backlog-group", 0));
        assertThat(backlog.of("backlog", "other-group")).hasValue(6);

        broker().kill();
        try {
            assertThat(backlog.of("backlog", "backlog-group")).isEmpty();
        } finally {
            broker().start();
        }
        await().atMost(AFTER_A_CRASH).until(() -> isKnown(backlog, "other-group", 6));
        sender.stop();
        assertThat(backlog.of("backlog", "other-group")).isEmpty();
    }

    /** What is acknowledged stops before it; another process knows no more than that. */
    @Test
    void what_is_done_behind_a_message_that_is_held_up_waits_no_more() {
        Recorder recorder = new Recorder();
        recorder.heldUp = "0";
        consuming("behind", "behind-group", recorder);
        for (int i = 0; i < 40; i++) {
            assertThat(sender.send("behind", notes(i, 1))).isTrue();
        }
        Messaging elsewhere = messaging("elsewhere", address());
        elsewhere.sender().start();
        try {
            await().atMost(SOON).until(() -> waiting(messaging.backlog()) == 1);
            assertThat(waiting(elsewhere.backlog())).isGreaterThan(1);

            recorder.heldUp = "none";
            await().atMost(SOON).until(() -> waiting(messaging.backlog()) == 0);
            await().atMost(SOON).until(() -> waiting(elsewhere.backlog()) == 0);
        } finally {
            elsewhere.sender().stop();
        }
        assertThat(recorder.handled).isEqualTo(ids(0, 40));
    }

    private static long waiting(Backlog backlog) {
        return backlog.queues("behind", "behind-group").orElseThrow().stream()
                .mapToLong(Backlog.Queue::waiting)
                .sum();
    }

    private static boolean isKnown(Backlog backlog, String group, long count) {
        return backlog.of("backlog", group).equals(OptionalLong.of(count));
    }

    @Test
    void consumer_starts_without_the_broker_and_catches_up_once_it_is_there() throws Exception {
        assertThat(sender.send("late", notes(0, 2))).isTrue();
        try (TcpProxy proxy = new TcpProxy(address())) {
            Recorder recorder = new Recorder();
            MessageConsumer consumer = messaging("late", proxy.address())
                    .consumer("late-group", "late", Note.class, recorder, 2);
            started.add(consumer);
            consumer.start();
            await().during(Duration.ofSeconds(2))
                    .until(() -> consumer.isRunning() && says(consumer, "UP", false));

            proxy.open();

            await().atMost(SOON).until(() -> recorder.handled.equals(ids(0, 2)));
            assertThat(says(consumer, "UP", true)).isTrue();
        }
    }

    private static boolean says(MessageConsumer consumer, String status, boolean started) {
        Health health = requireNonNull(consumer.health(), "a consumer has a health");
        return health.getStatus().getCode().equals(status)
                && Boolean.valueOf(started).equals(health.getDetails().get("started"));
    }

    @Test
    void sender_and_consumer_without_the_broker_start_fail_to_send_and_stop() {
        Messaging nowhere = messaging("nowhere", "127.0.0.1:1");
        MessageConsumer consumer =
                nowhere.consumer("never-group", "never", Note.class, new Recorder(), 1);
        nowhere.sender().start();
        consumer.start();

        assertThat(nowhere.sender().send("never", notes(0, 1))).isFalse();
        assertThat(nowhere.backlog().of("never", "never-group")).isEmpty();

        assertThatCode(consumer::stop).doesNotThrowAnyException();
        assertThatCode(nowhere.sender()::stop).doesNotThrowAnyException();
        assertThat(consumer.isRunning()).isFalse();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().contains("consumer of never"));
    }

    @Test
    void stop_waits_for_the_handler_and_leaves_the_rest_to_the_next() throws Exception {
        for (int i = 0; i < 40; i++) {
            assertThat(sender.send("stopped", notes(i, 1))).isTrue();
        }
        Recorder first = new Recorder();
        first.hold = new CountDownLatch(1);
        MessageConsumer consumer =
                messaging.consumer("stopped-group", "stopped", Note.class, first, 1);
        consumer.start();
        await().atMost(SOON).until(() -> first.deliveries.get() > 0);

        CompletableFuture<Void> stop = CompletableFuture.runAsync(consumer::stop);
        await().during(Duration.ofSeconds(1)).until(() -> !stop.isDone());
        first.hold.countDown();
        stop.get(10, TimeUnit.SECONDS);
        Set<String> done = Set.copyOf(first.handled);
        assertThat(done).isNotEmpty();
        assertThat(first.interrupted).isFalse();

        Recorder second = consuming("stopped", "stopped-group", new Recorder());
        // Sooner than any redelivery that a broker was asked for.
        await().atMost(Duration.ofSeconds(9)).until(() -> {
            Set<String> both = ConcurrentHashMap.newKeySet();
            both.addAll(done);
            both.addAll(second.handled);
            return both.equals(ids(0, 40));
        });
        assertThat(first.handled).as("handled after the stop").isEqualTo(done);
    }

    /** With one turn for all: whoever waits for the next try lets the others have it. */
    @Test
    void message_that_is_held_up_keeps_no_other_from_being_handled() {
        assertThat(sender.send("held-up", notes(0, 2))).isTrue();
        Recorder recorder = new Recorder();
        recorder.heldUp = "1";
        MessageConsumer consumer =
                messaging.consumer("held-up-group", "held-up", Note.class, recorder, 1);
        started.add(consumer);
        consumer.start();
        await().atMost(SOON).until(() -> recorder.handled.contains("0"));

        for (int i = 2; i < 40; i++) {
            assertThat(sender.send("held-up", notes(i, 1))).isTrue();
        }
        await().atMost(SOON).until(() -> recorder.handled.size() == 39);
        assertThat(recorder.handled).doesNotContain("1");

        recorder.heldUp = "none";
        await().atMost(SOON).until(() -> recorder.handled.equals(ids(0, 40)));
        assertThat(recorder.parked).isEmpty();
    }

    /** The stop waits for one message while another fails, as long as the broker still listens. */
    @Test
    void message_whose_handler_fails_until_the_stop_is_left_to_the_next() throws Exception {
        Recorder first = new Recorder();
        first.hold = new CountDownLatch(1);
        first.refused = "1";
        MessageConsumer consumer =
                messaging.consumer("refused-group", "refused", Note.class, first, 2);
        consumer.start();
        assertThat(sender.send("refused", notes(0, 1))).isTrue();
        await().atMost(SOON).until(() -> first.deliveries.get() > 0);
        assertThat(sender.send("refused", notes(1, 1))).isTrue();
        await().atMost(SOON).until(() -> first.deliveries.get() > 1);

        CompletableFuture<Void> stop = CompletableFuture.runAsync(consumer::stop);
        await().during(Duration.ofSeconds(3)).until(() -> !stop.isDone());
        first.hold.countDown();
        stop.get(10, TimeUnit.SECONDS);
        assertThat(first.handled).isEqualTo(ids(0, 1));

        Recorder second = consuming("refused", "refused-group", new Recorder());
        await().atMost(SOON).until(() -> second.handled.contains("1"));
    }

    @Test
    void sender_and_consumer_work_again_when_they_are_started_again() {
        Recorder recorder = new Recorder();
        MessageConsumer consumer =
                messaging.consumer("again-group", "again", Note.class, recorder, 1);
        started.add(consumer);
        consumer.start();
        consumer.stop();
        sender.stop();
        assertThat(sender.isRunning()).isFalse();
        assertThat(sender.send("again", notes(0, 1))).isFalse();

        sender.start();
        consumer.start();

        assertThat(sender.send("again", notes(1, 1))).isTrue();
        await().atMost(SOON).until(() -> recorder.handled.equals(ids(1, 1)));
    }

    @Test
    void nothing_confirmed_is_lost_when_the_broker_is_killed() {
        Recorder recorder = consuming("crash", "crash-group", new Recorder());
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger confirmed = new AtomicInteger();
        AtomicInteger unknown = new AtomicInteger();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                boolean sure = sender.send("crash", notes(confirmed.get(), 1));
                (sure ? confirmed : unknown).incrementAndGet();
            }
        });
        try {
            await().atMost(SOON).until(() -> recorder.handled.size() >= 100);
            broker().kill();
            try {
                await().atMost(SOON).until(() -> unknown.get() > 0);
            } finally {
                broker().start();
            }
            int beforeTheCrash = confirmed.get();
            await().atMost(AFTER_A_CRASH).until(() -> confirmed.get() > beforeTheCrash + 100);
        } finally {
            over.set(true);
            sending.join();
        }
        await().atMost(AFTER_A_CRASH)
                .until(() -> recorder.handled.containsAll(ids(0, confirmed.get())));
    }

    private Recorder consuming(String topic, String group, Recorder recorder) {
        MessageConsumer consumer = messaging.consumer(group, topic, Note.class, recorder, 2);
        started.add(consumer);
        consumer.start();
        return recorder;
    }

    protected static List<Outgoing> notes(int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(Integer::toString)
                .map(id -> new Outgoing(id, Json.write(new Note(id))))
                .toList();
    }

    private static Set<String> ids(int from, int count) {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        IntStream.range(from, from + count).mapToObj(Integer::toString).forEach(ids::add);
        return ids;
    }

    /** Keeps what it is given, and fails or waits when told to. */
    private static final class Recorder implements MessageHandler<Note> {

        final Set<String> handled = ConcurrentHashMap.newKeySet();
        final List<String> parked = new CopyOnWriteArrayList<>();
        final AtomicInteger deliveries = new AtomicInteger();
        final AtomicInteger failuresLeft = new AtomicInteger();
        final AtomicInteger parkFailuresLeft = new AtomicInteger();
        volatile CountDownLatch hold = new CountDownLatch(0);
        volatile String refused = "none";
        volatile String heldUp = "none";
        volatile boolean interrupted;

        @Override
        public void check(Note message) {
            if (message.equals(FORGED)) {
                throw new IllegalArgumentException("forged");
            }
        }

        @Override
        public void handle(List<Note> messages) {
            deliveries.addAndGet(messages.size());
            if (messages.contains(new Note(refused))) {
                throw new IllegalStateException("the database refuses it");
            }
            List<Note> late =
                    messages.stream().filter(m -> m.id().equals(heldUp)).toList();
            if (!late.isEmpty()) {
                messages.forEach(message -> handled.add(message.id()));
                handled.remove(heldUp);
                throw new HeldUpException("made up", late);
            }
            try {
                hold.await();
            } catch (InterruptedException e) {
                interrupted = true;
                Thread.currentThread().interrupt();
            }
            if (failuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("the database is away");
            }
            messages.forEach(message -> handled.add(message.id()));
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            if (parkFailuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("the database is away");
            }
            assertThat(messageId).isNotBlank();
            assertThat(reason).isNotBlank();
            parked.add(topic + " " + body);
        }
    }
}
