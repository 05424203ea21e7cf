package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {

    private static final String GOOD = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path dir;

    @Test
    void first_key_signs_whatever_comments_stand_around_it() throws IOException {
        Path file = write("# keys\n\n  k2 " + GOOD + "\nk1 " + "x".repeat(40) + "\n");
        assertThat(KeyFile.firstSecret(file)).isEqualTo(GOOD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# only a comment\n",
                "k1\n",
                "k1 short\n",
                "k1 two words\n",
                "k1 " + GOOD + "\nk2 short\n",
                "k1 " + GOOD + " trailing\n",
            })
    void bad_file_names_the_key_and_the_file(String content) throws IOException {
        Path file = write(content);
        assertThatIllegalStateException()
                .isThrownBy(() -> KeyFile.firstSecret(file))
                .withMessageContaining("seckill.token-keys")
                .withMessageContaining(file.toString())
                .withMessageNotContaining(GOOD);
    }

    @Test
    void missing_file_names_the_key_and_the_file() {
        Path file = dir.resolve("absent");
        assertThatIllegalStateException()
                .isThrownBy(() -> KeyFile.firstSecret(file))
                .withMessageContaining("seckill.token-keys")
                .withMessageContaining(file.toString());
    }

    private Path write(String content) throws IOException {
        return Files.writeString(dir.resolve("keys"), content);
    }
}
