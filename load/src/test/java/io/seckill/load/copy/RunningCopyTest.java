package io.seckill.load.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunningCopyTest {

    @Test
    void copy_beside_has_its_own_folder_and_each_port_higher() {
        RunningCopy copy = new RunningCopy(
                Path.of("/a/.run-bench"),
                28080,
                28087,
                28081,
                28082,
                28083,
                "redis://127.0.0.1:28084",
                List.of("redis://127.0.0.1:28090", "redis://127.0.0.1:28091"),
                "127.0.0.1:28086",
                "jdbc:mariadb://127.0.0.1:28085/seckill?sslMode=disable",
                "seckill",
                Path.of("/a/.run-bench/secrets/token-keys"));
        assertThat(copy.beside(Path.of("/a/other"), 40))
                .isEqualTo(new RunningCopy(
                        Path.of("/a/other"),
                        28120,
                        28127,
                        28121,
                        28122,
                        28123,
                        "redis://127.0.0.1:28124",
                        List.of("redis://127.0.0.1:28130", "redis://127.0.0.1:28131"),
                        "127.0.0.1:28126",
                        "jdbc:mariadb://127.0.0.1:28125/seckill?sslMode=disable",
                        "seckill",
                        Path.of("/a/other/secrets/token-keys")));
    }
}
