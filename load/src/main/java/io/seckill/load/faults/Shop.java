package io.seckill.load.faults;

import io.seckill.contracts.Json;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The edge as one buyer sees it. */
record Shop(HttpClient http, int port, String productId, String token, int quantity) {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The body's code or status; NO_ANSWER when nobody knows what the request did. */
    record Answer(String word, Map<?, ?> body) {

        String text(String field) {
            return String.valueOf(body.get(field));
        }

        /** 0: a retry does not help, says the shop. */
        long retryAfterMs() {
            return body.get("retryAfterMs") instanceof Number ms ? ms.longValue() : 0;
        }
    }

    Answer attempt() throws InterruptedException {
        return post("/seckill/flash/sale/deduct?productId=" + productId + "&quantity=" + quantity);
    }

    Answer pay(String orderSn) throws InterruptedException {
        return post("/seckill/orders/" + orderSn + "/pay");
    }

    Answer result() throws InterruptedException {
        return send(request("/seckill/flash/sale/result?productId=" + productId));
    }

    private Answer post(String path) throws InterruptedException {
        return send(request(path).POST(BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token);
    }

    private Answer send(HttpRequest.Builder request) throws InterruptedException {
        try {
            // All of the answer: the request's own timeout ends with the headers.
            HttpResponse<String> answer = http.sendAsync(request.build(), BodyHandlers.ofString())
                    .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            Map<?, ?> body = Json.read(answer.body(), Map.class);
            Object word = body.containsKey("code") ? body.get("code") : body.get("status");
            return new Answer(String.valueOf(word), body);
        } catch (ExecutionException | TimeoutException e) {
            return new Answer("NO_ANSWER", Map.of());
        }
    }
}
