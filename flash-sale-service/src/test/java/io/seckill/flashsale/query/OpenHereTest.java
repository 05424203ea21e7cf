package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OpenHereTest {

    private final OpenHere open = new OpenHere();

    @Test
    void each_is_in_one_page_of_a_turn_and_in_the_next_turn_again_until_it_is_removed() {
        assertThat(open.page(2)).isEmpty();
        List<Unknown> all =
                IntStream.range(0, 3).mapToObj(OpenHereTest::attempt).toList();
        all.forEach(open::add);
        for (int turn = 0; turn < 2; turn++) {
            List<Unknown> first = open.page(2);
            List<Unknown> second = open.page(2);
            assertThat(first).hasSize(2);
            assertThat(second).hasSize(1).doesNotContainAnyElementsOf(first);
        }
        all.forEach(attempt -> open.remove(attempt.member()));
        assertThat(open.page(2)).isEmpty();
    }

    @Test
    void no_more_are_remembered_than_may_be() {
        IntStream.range(0, ResultStore.MAX_UNKNOWN + 10).forEach(i -> open.add(attempt(i)));
        assertThat(open.page(2 * ResultStore.MAX_UNKNOWN)).hasSize(ResultStore.MAX_UNKNOWN);
    }

    private static Unknown attempt(int n) {
        return new Unknown("%032x".formatted(n), "518", "user-" + n, 1);
    }
}
