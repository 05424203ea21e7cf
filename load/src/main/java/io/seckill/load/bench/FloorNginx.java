package io.seckill.load.bench;

import io.seckill.contracts.EdgeHeaders;

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
 * refuses by its built-in limit, and that only passes on to flash-sale-service, what it is asked or
 * an attempt that is malformed.
 */
final class FloorNginx implements AutoCloseable {

    /** As an edge's worst refusal is, so that the same number of bytes comes back. */
    private static final String REFUSAL = "{\"type\":\"urn:seckill:problem:TOO_MANY_REQUESTS\","
            + "\"title\":\"Too many requests; try again shortly\",\"status\":429,"
            + "\"detail\":\"Too many requests; try again shortly\","
            + "\"code\":\"TOO_MANY_REQUESTS\","
            + "\"message\":\"Too many requests; try again shortly\",\"retryAfterMs\":0}";

    /** A server each and no locations, so that each takes the very bytes that the edge takes. */
    private static final String CONF = """
            daemon off;
            pid nginx.pid;
            %s
            worker_processes 2;
            error_log error.log crit;
            events { worker_connections 8192; }
            http {
                access_log off;
                server_tokens off;
                client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
                uwsgi_temp_path tmp; scgi_temp_path tmp;
                default_type application/problem+json;
                keepalive_requests 10000;
                add_header Cache-Control no-store always;
                add_header Retry-After 1 always;
                limit_req_zone $binary_remote_addr zone=all:1m rate=1r/m;
                limit_req_status 429;
                limit_req_log_level info;
                upstream service { server %s; keepalive 64; keepalive_timeout 10s; }
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Content-Length "";
                proxy_pass_request_body off;
                server {
                    listen 127.0.0.1:%d backlog=4096;
                    return 429 '%s';
                }
                server {
                    listen 127.0.0.1:%d backlog=4096;
                    error_page 429 @refused;
                    location @refused { return 429 '%s'; }
                    # The content phase, for a return would come before the limit.
                    location / { limit_req zone=all; root tmp; }
                }
                server {
                    listen 127.0.0.1:%d backlog=4096;
                    # Headers that flash-sale-service refuses at its first look.
                    proxy_set_header %s "!";
                    proxy_set_header %s 0;
                    proxy_set_header %s 0;
                    proxy_set_header Connection "";
                    proxy_set_header Content-Length "";
                    proxy_pass_request_headers off;
                    location / { proxy_pass http://service; }
                }
                server {
                    listen 127.0.0.1:%d backlog=4096;
                    location / { proxy_pass http://service; }
                }
            }
            """;

    private final Path folder;
    private final Process nginx;
    private final int[] ports = {freePort(), freePort(), freePort(), freePort()};

    /** service: host:port of what requests are passed on to. */
    FloorNginx(String service) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("seckill-floor");
        String user = System.getProperty("user.name").equals("root") ? "user root;" : "";
        Files.writeString(
                folder.resolve("nginx.conf"),
                CONF.formatted(
                        user,
                        service,
                        ports[0],
                        REFUSAL,
                        ports[1],
                        REFUSAL,
                        ports[2],
                        EdgeHeaders.USER,
                        EdgeHeaders.PRODUCT,
                        EdgeHeaders.QUANTITY,
                        ports[3]));
        String program = System.getenv().getOrDefault("SECKILL_NGINX", "nginx");
        nginx = new ProcessBuilder(
                        program, "-p", folder + "/", "-c", "nginx.conf", "-e", "error.log")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        awaitPort(ports[0]);
    }

    /** Refuses without deciding anything. */
    int returnPort() {
        return ports[0];
    }

    /** Refuses all but one request a minute by nginx's own limit. */
    int limitReqPort() {
        return ports[1];
    }

    /** Passes on what it is asked, with no header of the client's: an attempt is then malformed. */
    int malformedPort() {
        return ports[2];
    }

    /** Passes on what it is asked, headers and all: the client has to say what an edge would. */
    int passPort() {
        return ports[3];
    }

    long pid() {
        return nginx.pid();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void awaitPort(int port) throws IOException, InterruptedException {
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
        if (Files.notExists(folder)) {
            return;
        }
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
