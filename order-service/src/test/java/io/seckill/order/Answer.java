package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/** What the service answered over HTTP. */
public record Answer(int status, Map<String, Object> body) {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** An empty user sends no header. */
    public static Answer to(String method, int port, String path, String user) {
        return to(method, port, path, user, "");
    }

    /** With a body. */
    @SuppressWarnings("unchecked") // a JSON object's keys are strings
    public static Answer to(String method, int port, String path, String user, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!user.isEmpty()) {
            request.header(EdgeHeaders.USER, user);
        }
        try {
            HttpResponse<String> response =
                    CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), Json.read(response.body(), Map.class));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(method + " " + path, e);
        }
    }

    /** Its body is a refusal as every client reads it. */
    public void assertRefused(int status, String code) {
        assertThat(this.status).isEqualTo(status);
        assertThat(body).containsEntry("code", code).containsKeys("message", "retryAfterMs");
    }
}
