package io.seckill.load.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.load.MisuseException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WishTest {

    private static final long ANY_SEED = 7;

    @Test
    void no_fault_means_all_once_from_any_seed() {
        assertThat(wish("")).isEqualTo(new Wish(Wish.ALL, 1, ANY_SEED));
    }

    @Test
    void named_faults_are_run_as_often_and_from_the_seed_that_was_said() {
        assertThat(wish("empty --rounds 20 aof-cut --seed 3"))
                .isEqualTo(new Wish(List.of(Loss.EMPTY, Loss.AOF_CUT), 20, 3));
    }

    @Test
    void each_fault_has_a_name_of_its_own() {
        assertThat(Wish.ALL).extracting(Fault::title).doesNotHaveDuplicates();
    }

    @Test
    void an_unknown_fault_is_refused_with_what_there_is() {
        assertThatThrownBy(() -> wish("emtpy"))
                .isInstanceOf(MisuseException.class)
                .hasMessageStartingWith("unknown fault 'emtpy'; there are restart aof-cut ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--rounds", "--rounds 0", "--seed -1", "--seed 1.5", "--seed 1000000000"})
    void what_is_no_number_is_refused(String words) {
        assertThatThrownBy(() -> wish(words))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("is not a number from 1 to 999999999");
    }

    private static Wish wish(String words) {
        return Wish.of(words.isEmpty() ? List.of() : List.of(words.split(" ")), ANY_SEED);
    }
}
