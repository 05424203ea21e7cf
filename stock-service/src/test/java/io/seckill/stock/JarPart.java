package io.seckill.stock;

import io.seckill.testkit.Part;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;

/** The packaged service as a process of its own, as {@code ./seckill up} starts it. */
final class JarPart extends Part {

    private final List<String> settings;
    private final int port = freePort();

    JarPart(List<String> settings) {
        super("stock-service");
        this.settings = settings;
        start();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    @Override
    protected List<String> command() {
        List<String> command = java(
                "-Xmx192m",
                "-jar",
                Path.of("target/stock-service.jar").toAbsolutePath().toString(),
                "--server.port=" + port);
        command.addAll(settings);
        return command;
    }

    @Override
    protected boolean answers() throws Exception {
        return HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(uri("/actuator/health")).build(),
                                BodyHandlers.ofString())
                        .statusCode()
                == 200;
    }
}
