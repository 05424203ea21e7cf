package io.seckill.load.rehearse;

import io.seckill.contracts.Json;
import io.seckill.load.copy.RunningCopy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** The sale that is rehearsed, as the edge tells it to anybody. */
record Original(String productId, int perUserLimit, String path) {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int OK = 200;

    /** Throws with a sentence when there is no such sale, or no edge. */
    static Original read(RunningCopy copy, String productId) throws InterruptedException {
        HttpResponse<String> answer = ask(copy.edgePort(), "/seckill/sales/" + productId);
        if (answer.statusCode() != OK) {
            Map<?, ?> said = Json.read(answer.body(), Map.class);
            throw new IllegalStateException(
                    "product " + productId + ": " + said.get("code") + ": " + said.get("message"));
        }
        return Json.read(answer.body(), Original.class);
    }

    private static HttpResponse<String> ask(int port, String path) throws InterruptedException {
        HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
        URI address = URI.create("http://127.0.0.1:" + port + path);
        try {
            return http.send(
                    HttpRequest.newBuilder(address).timeout(TIMEOUT).build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "the edge (port " + port + ") does not answer; ./seckill up repairs it", e);
        }
    }

    boolean hasPath() {
        return path.equals("on");
    }
}
