package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.load.MisuseException;
import java.util.List;
import org.junit.jupiter.api.Test;

class WishTest {

    private static final List<Scenario> ALL = List.of(new Idle());

    @Test
    void no_scenario_means_all() {
        Wish wish = Wish.of(List.of("--json", "--quick"), ALL);
        assertThat(wish.scenarios()).isEqualTo(ALL);
        assertThat(wish.json()).isTrue();
        assertThat(wish.quick()).isTrue();
        assertThat(wish.write()).isFalse();
    }

    @Test
    void an_unknown_scenario_is_refused_with_what_there_is() {
        assertThatThrownBy(() -> Wish.of(List.of("idle", "fast"), ALL))
                .isInstanceOf(MisuseException.class)
                .hasMessage("unknown scenario 'fast'; there are idle");
    }

    @Test
    void an_unknown_option_is_refused() {
        assertThatThrownBy(() -> Wish.of(List.of("--fast"), ALL))
                .isInstanceOf(MisuseException.class);
    }

    @Test
    void what_was_measured_quickly_is_never_written() {
        assertThatThrownBy(() -> Wish.of(List.of("--quick", "--write"), ALL))
                .isInstanceOf(MisuseException.class);
    }
}
