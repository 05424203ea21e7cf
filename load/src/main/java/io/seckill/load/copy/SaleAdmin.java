package io.seckill.load.copy;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.Json;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Makes sales for a run and reads their books, through stock-service's admin routes. */
public final class SaleAdmin {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long QUIET_LIMIT_MS = 180_000;
    private static final long EDGE_LIMIT_MS = 20_000;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final RunningCopy copy;
    private final String token;

    public SaleAdmin(RunningCopy copy, BuyerTokens tokens) {
        this.copy = copy;
        token = tokens.operator();
    }

    /** The audit's answer for one product. */
    public record Books(boolean balanced, List<ProductBooks> products, Map<String, Long> pending) {
        public ProductBooks product() {
            return products.get(0);
        }

        /** No reservation waits in a shard: all have been sent to the broker. */
        public boolean sentAll() {
            Long waiting = pending.get("outboxEntries");
            return waiting != null && waiting == 0;
        }

        /** Nothing is on its way any more. */
        public boolean isQuiet() {
            return pending.values().stream().allMatch(waiting -> waiting != null && waiting == 0);
        }
    }

    public record ProductBooks(
            String productId,
            long stockTotal,
            List<ShardBooks> shards,
            long liveOrders,
            long duplicateBuyers,
            long oversold,
            long lostReservations,
            long unexpectedOrders,
            List<String> differences) {

        public long unitsLeft() {
            return shards.stream().mapToLong(ShardBooks::available).sum();
        }
    }

    public record ShardBooks(int shard, long available) {}

    /**
     * Open at once; nobody's unit goes back while it is measured, unless {@code more} says so:
     * fields of the route's body. Not waiting for the edge, which needs up to a second.
     */
    public void createUnseen(String productId, long stock, Map<String, Object> more)
            throws IOException, InterruptedException {
        Map<String, Object> body = new HashMap<>();
        body.put("payWithinSeconds", Bounds.PAY_WITHIN_S);
        body.put("synthetic", true);
        body.putAll(more);
        body.put("productId", productId);
        body.put("stock", stock);
        body.put("name", "load");
        HttpResponse<String> answer =
                call("POST", "/admin/sales", BodyPublishers.ofString(Json.write(body)));
        if (answer.statusCode() != 201 && answer.statusCode() != 200) {
            throw new IllegalStateException(
                    "no sale of product " + productId + ": " + answer.body());
        }
    }

    /** Until the edge says so of the sale's public facts (JSON). */
    public void awaitEdge(String productId, Predicate<String> wanted)
            throws IOException, InterruptedException {
        URI address =
                URI.create("http://127.0.0.1:" + copy.edgePort() + "/seckill/sales/" + productId);
        HttpRequest request = HttpRequest.newBuilder(address).timeout(TIMEOUT).build();
        long untilMs = System.currentTimeMillis() + EDGE_LIMIT_MS;
        while (true) {
            HttpResponse<String> answer = send(request, "the edge", copy.edgePort());
            if (answer.statusCode() == 200 && wanted.test(answer.body())) {
                return;
            }
            if (System.currentTimeMillis() > untilMs) {
                throw new IllegalStateException(
                        "the edge does not learn of product " + productId + ": " + answer.body());
            }
            Thread.sleep(50);
        }
    }

    /**
     * Removes a synthetic sale and all its traces; false while something of it is on its way, true
     * also when there is none.
     */
    public boolean remove(String productId) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                call("DELETE", "/admin/sales/" + productId, BodyPublishers.noBody());
        boolean gone = answer.statusCode() == 200 || answer.body().contains("NO_SUCH_SALE");
        if (!gone && answer.statusCode() != 503) {
            throw new IllegalStateException("it was not removed: " + answer.body());
        }
        return gone;
    }

    /** The books once nothing is on its way any more, or as they are after three minutes. */
    public Books quietBooks(String productId) throws IOException, InterruptedException {
        return quiet("?productId=" + productId);
    }

    /** The same of all sales. */
    public Books quietBooks() throws IOException, InterruptedException {
        return quiet("");
    }

    private Books quiet(String query) throws IOException, InterruptedException {
        long untilMs = System.currentTimeMillis() + QUIET_LIMIT_MS;
        while (true) {
            Books books = audit(query);
            if (books.isQuiet() || System.currentTimeMillis() > untilMs) {
                return books;
            }
            Thread.sleep(500);
        }
    }

    public Books books(String productId) throws IOException, InterruptedException {
        return audit("?productId=" + productId);
    }

    /** Of all sales. */
    public Books books() throws IOException, InterruptedException {
        return audit("");
    }

    private Books audit(String query) throws IOException, InterruptedException {
        HttpResponse<String> answer = call("GET", "/admin/audit" + query, BodyPublishers.noBody());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("no books" + query + ": " + answer.body());
        }
        return Json.read(answer.body(), Books.class);
    }

    private HttpResponse<String> call(String method, String path, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + copy.stockPort() + path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, body)
                .build();
        return send(request, "stock", copy.stockPort());
    }

    private HttpResponse<String> send(HttpRequest request, String part, int port)
            throws IOException, InterruptedException {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (ConnectException | HttpTimeoutException e) {
            throw new IllegalStateException(
                    part + " (port " + port + ") does not answer; ./seckill status says what runs",
                    e);
        }
    }
}
