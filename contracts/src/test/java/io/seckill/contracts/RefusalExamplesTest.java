package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusalExamplesTest {

    static List<Path> valid() {
        return new Examples("refusal").valid();
    }

    static List<Path> invalid() {
        return new Examples("refusal").invalid();
    }

    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken(Path file) {
        Map<?, ?> body = (Map<?, ?>) Examples.json(file).get("body");
        assertThat(read(file).name()).isEqualTo(body.get("code"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused(Path file) {
        assertThatIllegalArgumentException().isThrownBy(() -> read(file));
    }

    private static Refusal read(Path file) {
        Map<?, ?> answer = Examples.json(file);
        Map<String, String> headers = new HashMap<>();
        ((Map<?, ?>) answer.get("headers"))
                .forEach((name, value) -> headers.put((String) name, (String) value));
        return RefusalAnswer.read(
                (int) answer.get("status"), headers, Examples.write(answer.get("body")));
    }
}
