package io.seckill.load.faults;

import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.RunningCopy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One part of the copy: killed by its pid file, started again by the command line. */
record Part(RunningCopy copy, String name) {

    private static final long GONE_LIMIT_S = 10;

    Path folder() {
        return copy.home().resolve(name);
    }

    Path pidFile() {
        return folder().resolve("pid");
    }

    /** kill -9; returns when it is gone. */
    void kill() throws IOException, InterruptedException {
        kill(Long.parseLong(Files.readString(pidFile()).strip()));
    }

    static void kill(long pid) throws InterruptedException {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        try {
            process.onExit().get(GONE_LIMIT_S, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("process " + pid + " does not die", e);
        }
    }

    /** Returns when it is healthy. */
    void start() throws IOException, InterruptedException {
        new CopyCommand(copy).run("restart", name);
    }
}
