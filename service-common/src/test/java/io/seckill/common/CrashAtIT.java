package io.seckill.common;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A JVM of its own ends for real. */
class CrashAtIT {

    @Test
    void process_ends_at_once_as_if_killed_and_says_where() throws Exception {
        Process process = start("rebuild.begun:2");
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(output).isEqualTo(137);
        assertThat(output).contains("passed once").doesNotContain("survived", "hook ran");
        assertThat(output.lines().filter(line -> line.contains("ends at rebuild.begun")))
                .singleElement()
                .asString()
                .endsWith("the process ends at rebuild.begun, product 518");
    }

    /** Its hook would run at any other end: that this is no rule about nothing. */
    @Test
    void process_without_the_setting_survives() throws Exception {
        Process process = start("");
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("survived", "hook ran").doesNotContain("ends at");
    }

    private static Process start(String setting) throws IOException {
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        setting)
                .redirectErrorStream(true)
                .start();
    }

    static final class Victim {

        public static void main(String[] args) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran")));
            CrashAt.set("seckill.crash-at", args[0]);
            CrashPoint.REBUILD_BEGUN.reached("518");
            System.out.println("passed once");
            CrashPoint.REBUILD_BEGUN.reached("518");
            System.out.println("survived");
        }
    }
}
