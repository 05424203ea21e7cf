package io.seckill.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.message.HeldUpException;
import io.seckill.common.message.MessageHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.Test;

class HandlingTest {

    private static final int BATCH = 256;

    private final Store store = new Store();
    private final Handling<Note> handling =
            new Handling<>("t", store, store, Duration.ofMillis(1), Duration.ofMillis(2));

    private final List<Integer> left = new ArrayList<>();

    /** A message. */
    record Note(int id) {}

    @Test
    void delivery_waits_whole_while_something_is_away_and_parks_nothing() {
        store.awayFor = 1_000;

        assertThat(handle(delivery(BATCH))).isTrue();

        assertThat(store.calls).hasSize(1_001).containsOnly(BATCH);
        assertThat(store.flow).startsWith("hold").endsWith("go");
        assertThat(store.handled).hasSize(BATCH);
        assertThat(store.parked).isEmpty();
        assertThat(left).hasSize(1_001).startsWith(BATCH, BATCH).endsWith(BATCH, 0);
    }

    @Test
    void bad_messages_are_parked_after_a_bounded_number_of_tries_and_their_neighbours_go_first() {
        store.bad = List.of(0, 100, BATCH - 1);

        assertThat(handle(delivery(BATCH))).isTrue();

        assertThat(store.handled).hasSize(BATCH - 3).doesNotContainAnyElementsOf(store.bad);
        assertThat(store.parked).containsExactlyInAnyOrder("0", "100", Integer.toString(BATCH - 1));
        assertThat(store.handledWhenFirstParked).isEqualTo(BATCH - 3);
        assertThat(store.calls).hasSizeLessThan(3 * (2 * 8 + Handling.TRIES));
        assertThat(left).isSortedAccordingTo(Comparator.reverseOrder()).endsWith(3, 2, 1, 0);
        assertThat(store.flow).doesNotContain("hold");
    }

    @Test
    void messages_that_are_held_up_come_again_alone_and_are_never_parked() {
        store.heldUpFor = 10 * Handling.TRIES;

        assertThat(handle(delivery(BATCH))).isTrue();

        assertThat(store.calls.subList(1, store.calls.size()))
                .hasSize(store.heldUpFor)
                .containsOnly(2);
        assertThat(store.handled).hasSize(BATCH).doesNotHaveDuplicates();
        assertThat(store.parked).isEmpty();
        assertThat(store.pauses).hasSize(store.heldUpFor).startsWith(1L, 2L, 2L);
        assertThat(left).as("said before the pause").startsWith(2, 2, 2).endsWith(2, 0);
        assertThat(store.flow).doesNotContain("hold");
    }

    @Test
    void bad_message_is_given_up_with_what_it_says_and_why_it_failed() {
        store.bad = List.of(7);

        assertThat(handle(delivery(List.of(message("{\"id\":7}"))))).isTrue();

        assertThat(store.givenUp).containsExactly("Note[id=7] made up");
    }

    @Test
    void bad_message_that_cannot_even_be_parked_is_kept() {
        store.bad = List.of(0);
        store.parkFailures = 3;

        assertThat(handle(delivery(1))).isTrue();

        assertThat(store.calls).hasSize(4 * Handling.TRIES);
        assertThat(store.parked).containsExactly("0");
    }

    /** Else nothing is pulled any more, and only what is pulled makes it go on. */
    @Test
    void flow_goes_on_where_all_that_is_left_of_an_outage_is_parked() {
        store.awayFor = 3;
        store.bad = List.of(0);

        assertThat(handle(delivery(1))).isTrue();

        assertThat(store.parked).containsExactly("0");
        assertThat(store.flow).startsWith("hold").endsWith("go");
    }

    @Test
    void handler_that_cannot_say_whether_something_is_away_parks_nothing() {
        store.bad = List.of(0);
        store.unknown = true;
        store.stopAfter = 100;

        assertThat(handle(delivery(1))).isFalse();

        assertThat(store.parked).isEmpty();
    }

    @Test
    void stop_ends_the_wait_and_says_that_not_all_is_done() {
        store.awayFor = Integer.MAX_VALUE;
        store.stopAfter = 5;

        assertThat(handle(delivery(2))).isFalse();

        assertThat(store.calls).hasSize(5);
    }

    @Test
    void message_that_cannot_be_read_is_parked_once_however_often_the_others_fail() {
        store.awayFor = 7;
        List<MessageExt> messages = Stream.of("{", "{\"id\":1}", "{\"id\":2}")
                .map(HandlingTest::message)
                .toList();

        assertThat(handle(delivery(messages))).isTrue();

        assertThat(store.parked).containsExactly("{");
        assertThat(store.handled).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void message_that_cannot_be_parked_yet_keeps_none_of_its_neighbours_waiting() {
        store.awayFor = -1;
        store.parkFailures = 9;
        List<MessageExt> messages = Stream.of("{", "{\"id\":1}", "7", "{\"id\":2}")
                .map(HandlingTest::message)
                .toList();

        assertThat(handle(delivery(messages))).isTrue();

        assertThat(store.handledWhenFirstParked).isEqualTo(2);
        assertThat(store.calls).containsExactly(2);
        assertThat(store.parked).containsExactlyInAnyOrder("{", "7");
    }

    /** Also of its question: its messages must not be given back either. */
    @Test
    void error_of_the_handler_is_waited_for_too() {
        store.awayFor = 3;
        store.error = true;

        assertThat(handle(delivery(1))).isTrue();
        assertThat(store.handled).hasSize(1);
    }

    @Test
    void message_that_is_not_believed_is_parked_and_never_handled() {
        store.forged = List.of(1);

        assertThat(handle(delivery(3))).isTrue();

        assertThat(store.parked).containsExactly("1");
        assertThat(store.handled).containsExactlyInAnyOrder(0, 2);
    }

    private boolean handle(Delivery<Note> delivery) {
        return handling.handle(delivery, left::add);
    }

    private Delivery<Note> delivery(int size) {
        return delivery(IntStream.range(0, size)
                .mapToObj(id -> message("{\"id\":" + id + "}"))
                .toList());
    }

    private Delivery<Note> delivery(List<MessageExt> messages) {
        return new Delivery<>("t", Note.class, store, messages);
    }

    private static MessageExt message(String body) {
        MessageExt message = new MessageExt();
        message.setBody(body.getBytes(UTF_8));
        message.setMsgId(body);
        return message;
    }

    /** Keeps what it is given; for so many calls it is away. */
    private static final class Store implements MessageHandler<Note>, Handling.Flow {

        final List<Integer> calls = new ArrayList<>();
        final List<Integer> handled = new ArrayList<>();
        final List<String> parked = new ArrayList<>();
        final List<String> givenUp = new ArrayList<>();
        final List<String> flow = new ArrayList<>();
        final List<Long> pauses = new ArrayList<>();
        int heldUpFor;
        List<Integer> bad = List.of();
        List<Integer> forged = List.of();
        int awayFor;
        int stopAfter = Integer.MAX_VALUE;
        int parkFailures;
        int handledWhenFirstParked;
        boolean unknown;
        boolean error;

        @Override
        public void check(Note note) {
            if (forged.contains(note.id())) {
                throw new IllegalArgumentException("forged");
            }
        }

        @Override
        public void handle(List<Note> messages) {
            calls.add(messages.size());
            if (calls.size() <= heldUpFor) {
                handled.addAll(
                        messages.stream().map(Note::id).filter(id -> id > 1).toList());
                throw new HeldUpException(
                        "made up", messages.stream().filter(n -> n.id() <= 1).toList());
            }
            if (isAway() && error) {
                throw new StackOverflowError("made up");
            }
            if (isAway() || messages.stream().anyMatch(note -> bad.contains(note.id()))) {
                throw new IllegalStateException("made up");
            }
            messages.forEach(note -> handled.add(note.id()));
        }

        private boolean isAway() {
            return calls.size() <= awayFor;
        }

        @Override
        public void checkReady() {
            if (unknown) {
                MessageHandler.super.checkReady();
            }
            if (isAway() && error) {
                throw new StackOverflowError("made up");
            }
            if (isAway()) {
                throw new IllegalStateException("away");
            }
        }

        @Override
        public void giveUp(
                Note note, String topic, String messageId, String body, Throwable failure) {
            givenUp.add(note + " " + failure.getMessage());
            MessageHandler.super.giveUp(note, topic, messageId, body, failure);
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            if (parkFailures-- > 0) {
                throw new IllegalStateException("cannot be parked");
            }
            handledWhenFirstParked = parked.isEmpty() ? handled.size() : handledWhenFirstParked;
            assertThat(reason).isNotBlank();
            parked.add(body.replaceAll("[^0-9{]|^\\{(?=.)", ""));
        }

        @Override
        public boolean isRunning() {
            return calls.size() < stopAfter;
        }

        @Override
        public void hold() {
            flow.add("hold");
        }

        @Override
        public void go() {
            flow.add("go");
        }

        @Override
        public void pause(long ms) {
            pauses.add(ms);
        }
    }
}
