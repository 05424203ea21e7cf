package io.seckill.load.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What the same nginx binary can do at most: an own instance that refuses without deciding, that
 * refuses by its built-in limit, and that only passes on to flash-sale-service.
 */
final class FloorNginx implements AutoCloseable {

    static final String RETURN = "/return";
    static final String LIMIT_REQ = "/limit";
    static final String EMPTY = "/empty";

    private static final String CONF = """
            daemon off;
            pid nginx.pid;
            %s
            worker_processes 2;
            error_log error.log crit;
            events { worker_connections 4096; }
            http {
                access_log off;
                client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
                uwsgi_temp_path tmp; scgi_temp_path tmp;
                default_type application/json;
                keepalive_requests 1000000;
                limit_req_zone $server_name zone=all:1m rate=1r/m;
                limit_req_status 429;
                limit_req_log_level info;
                error_page 429 @refused;
                upstream service { server 127.0.0.1:%d; keepalive 64; }
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                server {
                    listen 127.0.0.1:%d backlog=4096;
                    location @refused { return 429 '{"code":"TOO_MANY_REQUESTS"}'; }
                    location = /return { return 429 '{"code":"TOO_MANY_REQUESTS"}'; }
                    location = /limit { limit_req zone=all; return 200; }
                    location = /empty { proxy_pass http://service/actuator/info; }
                }
            }
            """;

    private final Path folder;
    private final Process nginx;
    private final int port;

    FloorNginx(int flashSalePort) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("seckill-floor");
        port = freePort();
        String user = System.getProperty("user.name").equals("root") ? "user root;" : "";
        Files.writeString(folder.resolve("nginx.conf"), CONF.formatted(user, flashSalePort, port));
        nginx = new ProcessBuilder(
                        "nginx", "-p", folder + "/", "-c", "nginx.conf", "-e", "error.log")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Files.writeString(folder.resolve("pid"), Long.toString(nginx.pid()));
        awaitPort();
    }

    int port() {
        return port;
    }

    long pid() {
        return nginx.pid();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void awaitPort() throws IOException, InterruptedException {
        for (int tries = 0; tries < 100; tries++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException e) {
                Thread.sleep(50);
            }
        }
        throw new IllegalStateException(
                "the floor's nginx does not start: " + Files.readString(folder.resolve("log")));
    }

    @Override
    public void close() {
        nginx.destroy();
        try (Stream<Path> files = Files.walk(folder)) {
            nginx.waitFor(10, TimeUnit.SECONDS);
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
