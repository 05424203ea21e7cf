package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TokenKeyFileExamplesTest {

    private static final Path FOLDER = Path.of("examples", "key-file");

    static List<Path> valid() {
        return new Examples("key-file").valid();
    }

    static List<Path> invalid() {
        return new Examples("key-file").invalid();
    }

    @ParameterizedTest
    @MethodSource("valid")
    void valid_is_taken(Path file) {
        assertThat(TokenKeyFile.read("setting", file)).hasSizeBetween(1, 8);
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalid_is_refused_in_the_example_s_words(Path file) {
        String words = Examples.text(Path.of(file.toString().replace(".keys", ".error")))
                .strip();
        assertThatIllegalStateException()
                .isThrownBy(() -> TokenKeyFile.read("setting", file))
                .withMessage("setting: " + file + ": " + words);
    }

    @Test
    void keys_come_in_the_order_of_the_file_and_show_no_secret() {
        List<TokenKeyFile.Key> keys =
                TokenKeyFile.read("setting", FOLDER.resolve("valid/two-keys.keys"));
        assertThat(keys).extracting(TokenKeyFile.Key::kid).containsExactly("k2", "k1");
        assertThat(keys)
                .extracting(TokenKeyFile.Key::secret)
                .containsExactly("b1".repeat(16), "a0".repeat(16));
        assertThat(keys.toString()).isEqualTo("[k2, k1]");
    }

    @Test
    void file_that_cannot_be_read_is_named() {
        assertThatIllegalStateException()
                .isThrownBy(() -> TokenKeyFile.read("setting", Path.of("/nowhere/keys")))
                .withMessage("setting: /nowhere/keys: cannot be read");
    }
}
