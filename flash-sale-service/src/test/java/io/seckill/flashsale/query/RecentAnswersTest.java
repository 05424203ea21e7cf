package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RecentAnswersTest {

    private static final long START_NS = -3; // nanoTime is any number
    private static final Map<String, Object> PENDING = Map.of("status", "PENDING");
    private static final Map<String, Object> ORDERED = Map.of("status", "ORDERED");

    private final RecentAnswers answers = new RecentAnswers(START_NS);

    @Test
    void answer_is_told_again_to_its_buyer_alone_until_it_is_old() {
        answers.put("518", "alice", PENDING, START_NS);
        assertThat(answers.get("518", "alice", START_NS + RecentAnswers.KEPT_NS - 1))
                .contains(PENDING);
        assertThat(answers.get("518", "alice", START_NS + RecentAnswers.KEPT_NS))
                .isEmpty();
        assertThat(answers.get("518", "bob", START_NS)).isEmpty();
        assertThat(answers.get("519", "alice", START_NS)).isEmpty();
    }

    /** The first poll was overtaken by the second. */
    @Test
    void answer_that_was_asked_for_earlier_does_not_replace_a_later_one() {
        answers.put("518", "alice", ORDERED, START_NS + 10);
        answers.put("518", "alice", PENDING, START_NS + 5);
        assertThat(answers.get("518", "alice", START_NS + 20)).contains(ORDERED);

        answers.put("518", "bob", ORDERED, START_NS + RecentAnswers.KEPT_NS - 1);
        answers.put("519", "carol", PENDING, START_NS + RecentAnswers.KEPT_NS);
        answers.put("518", "bob", PENDING, START_NS + RecentAnswers.KEPT_NS - 2);
        assertThat(answers.get("518", "bob", START_NS + RecentAnswers.KEPT_NS + 1))
                .as("in the generation before")
                .contains(ORDERED);
    }

    @Test
    void word_that_has_come_since_ends_what_was_told_and_what_was_asked_for_before() {
        answers.put("518", "alice", PENDING, START_NS);
        answers.forget("518", "alice", START_NS + 10);
        assertThat(answers.get("518", "alice", START_NS + 20)).isEmpty();
        answers.put("518", "alice", PENDING, START_NS + 5);
        assertThat(answers.get("518", "alice", START_NS + 20)).isEmpty();
        answers.put("518", "alice", ORDERED, START_NS + 15);
        assertThat(answers.get("518", "alice", START_NS + 20)).contains(ORDERED);
    }

    @Test
    void memory_is_bounded_and_takes_more_once_the_old_are_forgotten() {
        for (int i = 0; i < RecentAnswers.MOST + 10; i++) {
            answers.put("518", "user-" + i, PENDING, START_NS);
        }
        assertThat(answers.get("518", "user-1", START_NS)).isPresent();
        assertThat(answers.get("518", "user-" + (RecentAnswers.MOST + 1), START_NS))
                .isEmpty();
        long later = START_NS + RecentAnswers.KEPT_NS;
        answers.put("518", "alice", PENDING, later);
        assertThat(answers.get("518", "alice", later)).isPresent();
    }
}
