package io.seckill.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server process of a test: started, waited for, killed, started again on the same port and
 * folder.
 *
 * <p>It dies with the JVM (shutdown hook) and its folder goes with it.
 */
public abstract class LocalProcess implements AutoCloseable {

    /** A bound, not an expectation: a busy machine takes ten times as long as an idle one. */
    private static final long START_LIMIT_MS = 240_000;

    /** Below the ports that the system gives to connections: nobody takes one by chance. */
    private static final int FIRST_PORT = 20_000;

    private static final int LAST_PORT = 32_000;

    private final String name;
    protected final Path home;
    private @Nullable Process process;

    protected LocalProcess(String name) {
        this.name = name;
        try {
            home = Files.createTempDirectory("seckill-" + name + "-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    protected abstract List<String> command();

    /** What its environment has besides that of the test. */
    protected Map<String, String> environment() {
        return Map.of();
    }

    /** A JVM's command: small, quick to start, its temporary files in the process's folder. */
    protected final List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:+UseTransparentHugePages",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + home));
        command.addAll(List.of(arguments));
        return command;
    }

    /** True once it answers; an exception counts as "not yet". */
    protected abstract boolean answers() throws Exception;

    public final void start() {
        try {
            ProcessBuilder builder = new ProcessBuilder(command())
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
            builder.environment().putAll(environment());
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot start: is it installed?", e);
        }
        awaitTrue(this::answers);
    }

    /** kill -9, as a crash would. */
    public final void kill() {
        if (process == null) {
            return;
        }
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its status, once it has ended by itself, within that bound. */
    public final int awaitEnd() {
        Process ending = requireNonNull(process, "not started");
        try {
            if (!ending.waitFor(START_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(name + " did not end: " + tail());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return ending.exitValue();
    }

    public final long pid() {
        return requireNonNull(process, "not started").pid();
    }

    @Override
    public final void close() {
        kill();
        try (Stream<Path> files = Files.walk(home)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // The folder is under the system's temporary folder: what is left there harms nobody.
        }
    }

    /** Asks until it is true; an exception counts as "not yet", a dead process is the end. */
    protected final void awaitTrue(Callable<Boolean> question) {
        long limit = System.currentTimeMillis() + START_LIMIT_MS;
        while (!quietly(question)) {
            if (process == null || !process.isAlive() || System.currentTimeMillis() > limit) {
                throw new IllegalStateException(name + " did not come up: " + tail());
            }
            pause();
        }
    }

    private String tail() {
        List<String> lines = output().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }

    /** Everything it has written since its first start. */
    public final String output() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return home.resolve("log");
    }

    private static boolean quietly(Callable<Boolean> question) {
        try {
            return question.call();
        } catch (Exception e) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A port that is free, and so is the one two below, which a broker opens as well. */
    protected static int freePort() {
        return ThreadLocalRandom.current()
                .ints(FIRST_PORT, LAST_PORT)
                .filter(port -> isFree(port) && isFree(port - 2))
                .limit(1)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    static void run(Path home, String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(home.resolve("setup.log").toFile())
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(
                        command[0] + ": " + Files.readString(home.resolve("setup.log")));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(command[0] + " cannot run", e);
        }
    }
}
