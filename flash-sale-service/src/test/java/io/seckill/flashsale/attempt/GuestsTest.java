package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Placement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuestsTest {

    private static final List<Placement> RING =
            Placement.parse("2:1:OPEN 0:1:OPEN 1:1:RETIRED 3:1:OPEN");
    private static final String PRODUCT = "518";
    private static final long NOW_NS = 5_000_000_000L;

    private final List<String> onSale = new ArrayList<>(List.of(PRODUCT));
    private final Guests guests = new Guests(() -> onSale, 4);

    @Test
    void shard_nobody_has_heard_from_may_have_guests_but_for_home_and_retired_ones() {
        assertThat(shards(NOW_NS)).containsExactly(0, 3);
    }

    @Test
    void shard_that_says_it_is_free_is_believed_for_a_moment_from_the_question_on() {
        guests.heard(PRODUCT, 0, false, NOW_NS);
        assertThat(shards(NOW_NS + Guests.TRUSTED_NS - 1)).containsExactly(3);
        assertThat(shards(NOW_NS + Guests.TRUSTED_NS)).containsExactly(0, 3);
        guests.heard(PRODUCT, 0, false, NOW_NS + 7);
        guests.heard(PRODUCT, 0, false, NOW_NS + 3); // a later answer to an older question
        assertThat(shards(NOW_NS + 6 + Guests.TRUSTED_NS)).containsExactly(3);
    }

    @Test
    void shard_with_guests_is_asked_for_good() {
        guests.heard(PRODUCT, 0, true, NOW_NS);
        guests.heard(PRODUCT, 0, false, NOW_NS + 1);
        assertThat(shards(NOW_NS + 2)).contains(0);
    }

    @Test
    void guest_that_is_sent_is_not_denied_by_an_answer_on_its_way() {
        guests.heard(PRODUCT, 0, false, NOW_NS);
        guests.mayCome(PRODUCT, 0);
        guests.heard(PRODUCT, 0, false, NOW_NS + 1);
        assertThat(shards(NOW_NS + 2)).contains(0);
    }

    @Test
    void products_are_bounded_and_those_on_sale_are_kept() {
        guests.heard(PRODUCT, 0, false, NOW_NS);
        for (int i = 1; i <= PerShard.MAX_PRODUCTS; i++) {
            guests.heard("9" + i, 0, false, NOW_NS);
        }
        assertThat(shards(NOW_NS)).containsExactly(3);
        assertThat(guests.places(RING, "91", NOW_NS)).as("forgotten").hasSize(2);
    }

    private List<Integer> shards(long nowNs) {
        return guests.places(RING, PRODUCT, nowNs).stream()
                .map(Placement::shard)
                .toList();
    }
}
