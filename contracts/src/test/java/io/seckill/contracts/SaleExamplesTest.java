package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SaleExamplesTest {

    static List<Path> valid() {
        return new Examples("sale").valid();
    }

    static List<Path> invalid() {
        return new Examples("sale").invalid();
    }

    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken_and_written_again_as_it_was(Path file) {
        Map<String, String> hash = hash(file);
        Map<String, String> again = PublishedSale.of(hash).hash();
        hash.remove("more");
        assertThat(again).isEqualTo(hash);
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused_naming_its_field(Path file) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PublishedSale.of(hash(file)))
                .withMessageStartingWith("bad " + Examples.field(file) + ": ");
    }

    private static Map<String, String> hash(Path file) {
        Map<String, String> hash = new HashMap<>();
        Examples.json(file).forEach((field, value) -> hash.put((String) field, (String) value));
        return hash;
    }
}
