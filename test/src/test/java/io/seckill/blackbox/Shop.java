package io.seckill.blackbox;

import io.seckill.contracts.Json;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** One connection to the edge. */
final class Shop {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final Copy copy;

    Shop(Copy copy) {
        this.copy = copy;
    }

    /** An answer: its status and its JSON fields. */
    record Answer(int status, Map<?, ?> body) {

        String text(String field) {
            return String.valueOf(body.get(field));
        }

        long number(String field) {
            return ((Number) body.get(field)).longValue();
        }
    }

    Answer post(String user, String path) {
        return send(user, HttpRequest.newBuilder(copy.uri(path)).POST(BodyPublishers.noBody()));
    }

    Answer get(String user, String path) {
        return send(user, HttpRequest.newBuilder(copy.uri(path)).GET());
    }

    /** {@code user} null sends no token. */
    Answer send(String user, HttpRequest.Builder request) {
        if (user != null) {
            request.header("Authorization", "Bearer " + copy.token(user));
        }
        try {
            HttpResponse<String> response =
                    http.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), Json.read(response.body(), Map.class));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("no answer from the edge", e);
        }
    }

    static String deduct(String productId) {
        return "/seckill/flash/sale/deduct?productId=" + productId;
    }

    static String result(String productId) {
        return "/seckill/flash/sale/result?productId=" + productId;
    }
}
