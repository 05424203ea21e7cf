package io.seckill.blackbox;

import io.seckill.contracts.Json;
import io.seckill.contracts.RedisKeys;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The started copy under test: where its edge is, its command line, and how to kill its parts. */
final class Copy {

    private static final long COMMAND_LIMIT_S = 120;
    private static final AtomicLong PRODUCTS = new AtomicLong(System.currentTimeMillis() * 1_000);

    private final Path home = Path.of(required("SECKILL_HOME"));
    private final String port = required("SECKILL_PORT");
    private final Tokens tokens = new Tokens(tokenKeys());

    /** What a command printed, and how it ended. */
    record Output(int exit, String text) {

        Map<?, ?> json() {
            return Json.read(text, Map.class);
        }
    }

    /**
     * A product that no earlier run has sold, so that any copy will do and a run can be repeated.
     */
    String newProduct() {
        return Long.toString(PRODUCTS.incrementAndGet());
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    Path tokenKeys() {
        return home.resolve("secrets/token-keys");
    }

    String token(String user) {
        return tokens.buyer(user);
    }

    /** Runs {@code ./seckill WORDS} against this copy; stderr goes to the test's own. */
    Output seckill(String... words) {
        List<String> command = new ArrayList<>(List.of(root().resolve("seckill").toString()));
        command.addAll(List.of(words));
        return run(command);
    }

    /** All that the control Redis knows is gone, as after the loss of its disk. */
    void flushControl() {
        Output output = redis(4, "FLUSHALL");
        if (!output.text().strip().equals("OK")) {
            throw new IllegalStateException("FLUSHALL: " + output);
        }
    }

    /** Reservations the shard has made from then on; they are `STATE|user|quantity|ms…` there. */
    long reservedSince(int shard, String productId, long ms) {
        return redis(10 + shard, "HVALS", RedisKeys.reservations(productId))
                .text()
                .lines()
                .filter(kept -> Long.parseLong(kept.split("\\|")[3]) >= ms)
                .count();
    }

    /** Reservations in this shard that RocketMQ has not got yet. */
    long unsent(int shard, String productId) {
        Output length = redis(10 + shard, "XLEN", RedisKeys.outbox(productId));
        return Long.parseLong(length.text().strip());
    }

    int shardPort(int shard) {
        return portAbove(10 + shard);
    }

    /** Where a part has its data. */
    Path folder(String part) {
        return home.resolve(part);
    }

    /** What the database answers to statements: all columns of all rows, one after the other. */
    List<String> sql(String statements) {
        String access = "--defaults-file=" + folder("mariadb").resolve("client.cnf");
        Output output = run(List.of("mariadb", access, "-N", "-B", "-e", statements));
        if (output.exit() != 0) {
            throw new IllegalStateException(statements + " ended with " + output);
        }
        return output.text().isEmpty()
                ? List.of()
                : List.of(output.text().strip().split("[\t\n]"));
    }

    private int portAbove(int above) {
        return Integer.parseInt(port) + above;
    }

    /** Asks the Redis so many ports above the edge; cli/lib/ports.sh. */
    private Output redis(int above, String... words) {
        String at = Integer.toString(portAbove(above));
        List<String> command = new ArrayList<>(List.of("redis-cli", "-p", at));
        command.addAll(List.of(words));
        return run(command);
    }

    private static Output run(List<String> command) {
        try {
            Path out = Files.createTempFile("seckill-out", ".txt");
            Process process = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (!process.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(command + " did not end");
            }
            String text = Files.readString(out);
            Files.delete(out);
            return new Output(process.exitValue(), text);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(command + " cannot run", e);
        }
    }

    /** Like {@link #seckill}, for a command that must succeed. */
    Output must(String... words) {
        Output output = seckill(words);
        if (output.exit() != 0) {
            throw new AssertionError(List.of(words) + " ended with " + output);
        }
        return output;
    }

    /** A part does nothing while the task is done. */
    void without(String part, Runnable task) {
        signal("-STOP", part);
        try {
            task.run();
        } finally {
            signal("-CONT", part);
        }
    }

    private void signal(String signal, String part) {
        run(List.of("kill", signal, Long.toString(pid(part))));
    }

    private long pid(String part) {
        try {
            return Long.parseLong(Files.readString(folder(part).resolve("pid")).strip());
        } catch (IOException e) {
            throw new IllegalStateException(part + " does not run", e);
        }
    }

    /** kill -9 of one part, by its pid file. */
    void kill(String part) {
        try {
            ProcessHandle handle = ProcessHandle.of(pid(part)).orElseThrow();
            handle.destroyForcibly();
            handle.onExit().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("cannot kill " + part, e);
        }
    }

    /** Of this clone. */
    static Path root() {
        return Stream.iterate(Path.of("").toAbsolutePath(), p -> p != null, Path::getParent)
                .filter(dir -> Files.isExecutable(dir.resolve("seckill")))
                .findFirst()
                .orElseThrow();
    }

    private static String required(String name) {
        String value = System.getenv(name);
        if (value == null || value.isBlank()) {
            throw new IllegalStateException(
                    name + " is not set: run these tests by ./seckill test, which starts a copy");
        }
        return value;
    }
}
