package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LimitExamplesTest {

    static List<Path> valid() {
        return new Examples("limit").valid();
    }

    static List<Path> invalid() {
        return new Examples("limit").invalid();
    }

    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken(Path file) {
        assertThat(isValid(file)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused(Path file) {
        assertThat(isValid(file)).isFalse();
    }

    private static boolean isValid(Path file) {
        Map<?, ?> limit = Examples.json(file);
        return Limits.isValid((String) limit.get("key"), (String) limit.get("value"));
    }
}
