package io.seckill.load.copy;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** `./seckill` for a copy: up, restart, down. Its progress is not shown, its complaints are. */
public final class CopyCommand {

    private static final int LIMIT_S = 600; // sixteen shards on a busy machine take minutes

    private final RunningCopy copy;

    public CopyCommand(RunningCopy copy) {
        this.copy = copy;
    }

    public void run(String... words) throws IOException, InterruptedException {
        Process process = start(Redirect.INHERIT, Map.of(), words);
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            process.destroy();
            throw failed(words, "did not end in " + LIMIT_S + " s");
        }
        if (process.exitValue() != 0) {
            throw failed(words, "ended with " + process.exitValue());
        }
    }

    /** Without a wait and without complaints, for what is meant to fail. */
    public Process launch(String... words) throws IOException {
        return launch(Map.of(), words);
    }

    /** The same; what it starts has these variables too. */
    public Process launch(Map<String, String> environment, String... words) throws IOException {
        return start(Redirect.DISCARD, environment, words);
    }

    private Process start(Redirect complaints, Map<String, String> environment, String... words)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(RunningCopy.command().toString());
        command.addAll(Arrays.asList(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(complaints);
        builder.environment().putAll(environment);
        builder.environment().put("SECKILL_HOME", copy.home().toString());
        builder.environment().put("SECKILL_PORT", Integer.toString(copy.edgePort()));
        return builder.start();
    }

    private IllegalStateException failed(String[] words, String how) {
        return new IllegalStateException(
                "seckill " + String.join(" ", words) + " for " + copy.home() + " " + how);
    }
}
