package io.seckill.contracts;

import static io.seckill.contracts.Placement.State.OPEN;
import static io.seckill.contracts.Placement.State.RECOVERING;
import static io.seckill.contracts.Placement.State.RETIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {

    @Test
    void ring_survives_its_text_in_its_order() {
        List<Placement> ring = List.of(
                new Placement(2, 1, OPEN),
                new Placement(0, 17, RECOVERING),
                new Placement(1, 3, RETIRED));
        assertThat(Placement.text(ring)).isEqualTo("2:1:OPEN 0:17:RECOVERING 1:3:RETIRED");
        assertThat(Placement.parse(Placement.text(ring))).isEqualTo(ring);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "0:1:OPEN ",
                " 0:1:OPEN",
                "0:1:OPEN  1:1:OPEN",
                "0:1:OPEN,1:1:OPEN",
                "0:1",
                "0:1:open",
                "0:1:CLOSED",
                "0:0:OPEN",
                "0:-1:OPEN",
                "-1:1:OPEN",
                "00:1:OPEN",
                "0:01:OPEN",
                "0:1.0:OPEN",
                "0:1:OPEN 0:2:OPEN",
                "0:1000000000:OPEN",
                "0:1:OPEN\n"
            })
    void text_that_is_no_ring_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Placement.parse(text))
                .withMessageStartingWith("bad placements: ");
    }

    @Test
    void ring_has_one_to_sixty_four_places() {
        assertThat(Placement.parse(Placement.text(ring(64)))).hasSize(64);
        assertThatIllegalArgumentException().isThrownBy(() -> Placement.text(ring(65)));
        assertThatIllegalArgumentException().isThrownBy(() -> Placement.text(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> Placement.parse(null));
    }

    private static List<Placement> ring(int places) {
        return IntStream.range(0, places)
                .mapToObj(i -> new Placement(i, 1, OPEN))
                .toList();
    }
}
