package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {

    @Test
    void one_turn_that_was_disturbed_does_not_move_the_median() {
        assertThat(Turns.median(List.of(30.0, 1.0, 29.0))).isEqualTo(29);
    }

    @Test
    void of_two_turns_the_middle_is_taken_and_of_none_there_is_none() {
        assertThat(Turns.median(List.of(10.0, 20.0))).isEqualTo(15);
        assertThat(Turns.median(List.of())).isNaN();
    }
}
