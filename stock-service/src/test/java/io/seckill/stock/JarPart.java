package io.seckill.stock;

import io.seckill.testkit.Part;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The packaged service as a process of its own, as {@code ./seckill up} starts it. */
final class JarPart extends Part {

    private final List<String> settings;
    private final int port;

    JarPart(List<String> settings) throws Exception {
        super("stock-service");
        this.settings = settings;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        start();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    @Override
    protected List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-Xmx192m",
                "-jar", Path.of("target/stock-service.jar").toAbsolutePath().toString(),
                "--server.port=" + port));
        command.addAll(settings);
        return command;
    }

    @Override
    protected boolean answers() throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri("/actuator/health")).build(),
                        BodyHandlers.ofString())
                .statusCode() == 200;
    }
}
