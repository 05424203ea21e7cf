package io.seckill.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An edge that has just been started where nothing else runs: no Redis, no service. */
final class LoneEdge implements AutoCloseable {

    private static final String NGINX = System.getenv().getOrDefault("SECKILL_NGINX", "nginx");
    private static final long START_LIMIT_MS = 10_000;

    private final int port = freePort();
    private final Path folder;
    private final Process nginx;

    /** {@code root}: of the clone. */
    LoneEdge(Path root, Path tokenKeys) {
        String nowhere = Integer.toString(freePort());
        try {
            folder = Files.createTempDirectory("seckill-edge");
            ProcessBuilder render =
                    new ProcessBuilder(root.resolve("nginx/render").toString(), folder.toString());
            render.environment()
                    .putAll(Map.of(
                            "SECKILL_PORT",
                            Integer.toString(port),
                            "SECKILL_EDGE_INTERNAL_PORT",
                            Integer.toString(freePort()),
                            "SECKILL_FLASH_SALE_PORT",
                            nowhere,
                            "SECKILL_ORDER_PORT",
                            nowhere,
                            "SECKILL_CONTROL_REDIS",
                            "redis://127.0.0.1:" + nowhere,
                            "SECKILL_TOKEN_KEYS",
                            tokenKeys.toAbsolutePath().toString()));
            if (render.inheritIO().start().waitFor() != 0) {
                throw new IllegalStateException("nginx/render failed");
            }
            nginx = new ProcessBuilder(
                            NGINX, "-p", folder.toString(), "-c", "nginx.conf", "-e", "error.log")
                    .inheritIO()
                    .start();
            awaitPort();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("no edge", e);
        }
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private void awaitPort() throws IOException, InterruptedException {
        long until = System.currentTimeMillis() + START_LIMIT_MS;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (ConnectException e) {
                if (!nginx.isAlive() || System.currentTimeMillis() > until) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        nginx.destroy();
        try (Stream<Path> files = Files.walk(folder)) {
            nginx.waitFor(10, TimeUnit.SECONDS);
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
