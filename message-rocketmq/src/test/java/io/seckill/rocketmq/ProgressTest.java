package io.seckill.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private static final MessageQueue QUEUE = new MessageQueue("t", "broker-a", 1);
    private static final long MANY = 1_000_000;

    private final Progress progress = new Progress("g");

    @Test
    void what_is_done_behind_a_message_in_hand_is_done() {
        Progress.InHand first = take(100, 110);
        Progress.InHand second = take(110, 310);
        assertThat(done(MANY)).isEqualTo(100);

        first.left(1);
        second.left(0);
        assertThat(done(MANY)).isEqualTo(309);

        first.left(0);
        assertThat(done(MANY)).isEqualTo(310);
    }

    @Test
    void what_comes_again_is_in_hand_again_and_what_came_behind_it_stays_done() {
        take(0, 10).left(1);
        take(10, 20).left(0);

        Progress.InHand again = take(0, 10);
        assertThat(done(MANY)).isEqualTo(9);
        again.left(1);
        assertThat(done(MANY)).isEqualTo(18);
    }

    @Test
    void deliveries_that_begin_in_the_wrong_order_end_right() {
        Progress.InHand second = take(10, 20);
        Progress.InHand first = take(0, 10);
        assertThat(done(MANY)).isZero();
        second.left(0);
        first.left(0);
        assertThat(done(MANY)).isEqualTo(20);
    }

    @Test
    void nothing_is_known_of_another_group_or_queue_or_after_a_start() {
        take(0, 10).left(0);

        assertThat(progress.done("h", QUEUE, MANY)).isZero();
        assertThat(progress.done("g", new MessageQueue("t", "broker-a", 2), MANY))
                .isZero();
        progress.forget();
        assertThat(done(MANY)).isZero();
    }

    @Test
    void broker_that_lost_messages_is_counted_from_what_it_has() {
        Progress.InHand held = take(0, 100);
        held.left(1);

        assertThat(done(50)).isEqualTo(50);
        assertThat(done(MANY)).isEqualTo(50);
        take(50, 60).left(0);
        assertThat(done(MANY)).as("one less, as long as one is in hand").isEqualTo(59);
        held.left(0);
        assertThat(done(MANY)).isEqualTo(60);
    }

    private long done(long sent) {
        return progress.done("g", QUEUE, sent);
    }

    private Progress.InHand take(long from, long end) {
        List<MessageExt> messages =
                LongStream.range(from, end).mapToObj(ProgressTest::message).toList();
        return progress.take(QUEUE, messages);
    }

    private static MessageExt message(long offset) {
        MessageExt message = new MessageExt();
        message.setQueueOffset(offset);
        return message;
    }
}
