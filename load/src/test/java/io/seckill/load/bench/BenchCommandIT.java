package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.load.copy.RunningCopy;
import io.seckill.testkit.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandIT {

    private final RedisProcess redis = new RedisProcess();
    private final PrintStream stdout = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @TempDir
    private Path home;

    @BeforeEach
    void start() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() {
        System.setOut(stdout);
        redis.close();
    }

    @Test
    void what_was_measured_is_printed_also_when_a_later_scenario_cannot_be() {
        Scenario first = scenario("first", "");
        Scenario second = scenario("broken", "the disk is full");
        assertThatThrownBy(() -> bench(List.of(first, second))).hasMessage("the disk is full");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .startsWith("{")
                .contains("\"name\":\"first\"")
                .doesNotContain("broken");
    }

    @Test
    void one_document_is_printed_when_all_could_be_measured() throws Exception {
        assertThat(bench(List.of(scenario("first", ""), scenario("second", ""))))
                .isZero();
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    }

    private int bench(List<Scenario> scenarios) throws Exception {
        Path keys = Files.writeString(
                home.resolve("token-keys"), "k1 a-secret-of-thirty-two-bytes-or-more\n");
        RunningCopy copy =
                new RunningCopy(home, 0, 0, 0, 0, 0, redis.uri(), List.of(), "", "", "", keys);
        return BenchCommand.run(
                new Wish(scenarios, true, false, true), copy, Path.of("..").toAbsolutePath());
    }

    /** failure: its message; empty: none. */
    private static Scenario scenario(String name, String failure) {
        return new Scenario() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public String about() {
                return "";
            }

            @Override
            public List<Row> run(Rig rig) throws IOException {
                if (!failure.isEmpty()) {
                    throw new IOException(failure);
                }
                return List.of(new Row("something", 1, "s"));
            }
        };
    }
}
