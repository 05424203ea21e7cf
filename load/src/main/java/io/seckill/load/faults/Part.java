package io.seckill.load.faults;

import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.RunningCopy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One part of the copy: killed by its pid file, started again by the command line. */
record Part(RunningCopy copy, String name) {

    private static final int GONE_LIMIT_S = 10;

    Path folder() {
        return copy.home().resolve(name);
    }

    Path pidFile() {
        return folder().resolve("pid");
    }

    /** kill -9; returns when it is gone. */
    void kill() throws IOException, InterruptedException {
        kill(pid());
    }

    /** It does nothing for so long, and nobody is told; what it holds it keeps. */
    void hang(int ms) throws IOException, InterruptedException {
        signal("-STOP");
        try {
            Thread.sleep(ms);
        } finally {
            signal("-CONT");
        }
    }

    private void signal(String signal) throws IOException, InterruptedException {
        run("kill", signal, Long.toString(pid()));
    }

    static void run(String... command) throws IOException, InterruptedException {
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + " fails");
        }
    }

    static void kill(long pid) throws InterruptedException {
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        if (!awaitEnd(pid, GONE_LIMIT_S)) {
            throw new IllegalStateException("process " + pid + " does not die");
        }
    }

    /** False: it still runs after so many seconds. */
    boolean awaitEnd(int limitS) throws IOException, InterruptedException {
        return awaitEnd(pid(), limitS);
    }

    private static boolean awaitEnd(long pid, int limitS) throws InterruptedException {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        try {
            if (process.isPresent()) {
                process.get().onExit().get(limitS, TimeUnit.SECONDS);
            }
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("process " + pid + " cannot be watched", e);
        }
    }

    private long pid() throws IOException {
        return Long.parseLong(Files.readString(pidFile()).strip());
    }

    /** What it has said since its latest start. */
    String log() throws IOException {
        return Files.readString(folder().resolve("log"));
    }

    /** Returns when it is healthy. */
    void start() throws IOException, InterruptedException {
        new CopyCommand(copy).run("restart", name);
    }
}
