package io.seckill.load.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.util.stream.Stream;

/** Where and of what a table was measured. */
record Machine(String commit, String date, String cpu, int cores) {

    /** What a bench writes itself does not make it a bench of something else. */
    private static final String PAGE_LEFT_OUT = ":(exclude)docs/benchmarks.md";

    static Machine here(Path clone, Clock clock) throws IOException, InterruptedException {
        return new Machine(
                commit(clone),
                LocalDate.now(clock).toString(),
                cpuModel(),
                Runtime.getRuntime().availableProcessors());
    }

    /** With a `+` when the clone has changes that are in no commit; `unknown` without git. */
    private static String commit(Path clone) throws IOException, InterruptedException {
        String commit = git(clone, "rev-parse", "--short=10", "HEAD");
        return commit.isEmpty()
                ? "unknown"
                : commit
                        + (git(clone, "status", "--porcelain", "-uno", "--", ".", PAGE_LEFT_OUT)
                                        .isEmpty()
                                ? ""
                                : "+");
    }

    private static String git(Path clone, String... words)
            throws IOException, InterruptedException {
        String[] command = Stream.concat(Stream.of("git", "-C", clone.toString()), Stream.of(words))
                .toArray(String[]::new);
        try {
            Process git = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return git.waitFor() == 0 ? said.strip() : "";
        } catch (IOException e) {
            return ""; // there is no git
        }
    }

    private static String cpuModel() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown CPU");
        }
    }

    @Override
    public String toString() {
        return "commit " + commit + ", " + date + ", " + cpu + ", " + cores + " cores";
    }
}
