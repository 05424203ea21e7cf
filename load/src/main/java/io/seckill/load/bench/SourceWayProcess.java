package io.seckill.load.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The source design's way in a JVM of its own, with the flags of flash-sale-service. */
final class SourceWayProcess implements AutoCloseable {

    private final Path log;
    private final Process process;
    private final int port;

    /** Environment: this process's, which says where the copy is. */
    SourceWayProcess(String productId) throws IOException {
        log = Files.createTempFile("seckill-source-way", ".log");
        String java = ProcessHandle.current().info().command().orElse("java");
        process = new ProcessBuilder(List.of(
                        java,
                        "-Xms160m",
                        "-Xmx256m",
                        "-Xmn96m",
                        "-XX:ReservedCodeCacheSize=96m",
                        "-XX:+UseSerialGC",
                        "-XX:+PerfDisableSharedMem",
                        "-Dsun.net.httpserver.nodelay=true",
                        "-Dsun.net.httpserver.maxIdleConnections=1000",
                        "-jar",
                        System.getProperty("java.class.path"),
                        "source-way",
                        productId))
                .redirectError(log.toFile())
                .start();
        port = readPort();
    }

    private int readPort() throws IOException {
        BufferedReader out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.matches("[0-9]+")) {
                return Integer.parseInt(line);
            }
        }
        String why = Files.readString(log);
        close();
        throw new IllegalStateException("the source design's way does not start: " + why);
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }
}
