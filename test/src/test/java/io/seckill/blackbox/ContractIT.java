package io.seckill.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.blackbox.OpenApi.Case;
import io.seckill.contracts.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route and status of openapi.yaml, asked for at an edge and held against it. */
class ContractIT {

    private static final String SALES = "/seckill/sales";
    private static final String SALE = "/seckill/sales/{productId}";
    private static final String ROOT = "/seckill/flash/sale/";
    private static final String PATH = ROOT + "path";
    private static final String DEDUCT = ROOT + "deduct";
    private static final String BY_PATH = ROOT + "{path}/deduct";
    private static final String RESULT = ROOT + "result";
    private static final String ORDERS = "/seckill/orders";
    private static final String ORDER = "/seckill/orders/{orderSn}";
    private static final String PAY = "/seckill/orders/{orderSn}/pay";
    private static final String API = "/openapi.yaml";

    /** Above what a user may ask for in a second, and a product of one attempt per second. */
    private static final int MANY = 50;

    private static final String NO_SN = "0".repeat(24);
    private static final String NO_PATH = "1-" + "0".repeat(64);

    private static final Copy COPY = new Copy();
    private static final OpenApi DOCUMENT =
            new OpenApi(Copy.root().resolve("contracts/openapi.yaml"));
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final LoneEdge LONE = new LoneEdge(Copy.root(), COPY.tokenKeys());

    private static final String OPEN = sale();
    private static final String SIGNED = sale("--path", "on");
    private static final String BRIEF = sale("--pay-within", "1");
    private static final String NARROW = sale();
    private static final String NARROW_SIGNED = sale("--path", "on");
    private static final String EARLY = sale("--path", "on", "--start", at(600));
    private static final String ENDED = sale("--path", "on", "--start", at(-60), "--end", at(-1));

    private static final Map<String, Supplier<HttpResponse<String>>> REQUESTS = new HashMap<>();
    private static int buyers;

    @BeforeAll
    static void limits() {
        COPY.must("limits", "product", NARROW, "qps", "1");
        COPY.must("limits", "product", NARROW_SIGNED, "qps", "1");
        await().atMost(Duration.ofSeconds(10))
                .until(() -> Stream.of(OPEN, SIGNED, BRIEF, NARROW, NARROW_SIGNED, EARLY, ENDED)
                        .allMatch(id -> get(null, SALES + "/" + id).statusCode() == 200));
        add("GET", SALES, 200, () -> get(null, SALES));
        add("GET", SALE, 200, () -> get(null, SALES + "/" + OPEN));
        add("GET", SALE, 400, () -> get(null, SALES + "/x"));
        add("GET", SALE, 404, () -> get(null, SALES + "/999"));
        add("GET", API, 200, () -> get(null, API));
        paths();
        attempts(DEDUCT, NARROW, user -> DEDUCT + product(OPEN));
        attempts(BY_PATH, NARROW_SIGNED, user -> signed(user, SIGNED));
        add("POST", DEDUCT, 403, () -> post(buyer(), DEDUCT + product(SIGNED)));
        add("POST", BY_PATH, 403, () -> post(buyer(), byPath(NO_PATH, SIGNED)));
        results();
        orders();
        common();
    }

    @AfterAll
    static void stop() {
        LONE.close();
    }

    private static void paths() {
        add("POST", PATH, 200, () -> post(buyer(), PATH + product(SIGNED)));
        add("POST", PATH, 400, () -> post(buyer(), PATH));
        add("POST", PATH, 401, () -> post(null, PATH + product(SIGNED)));
        add("POST", PATH, 404, () -> post(buyer(), PATH + product(OPEN)));
        add("POST", PATH, 409, () -> post(null, PATH + product(EARLY)));
        add("POST", PATH, 410, () -> post(null, PATH + product(ENDED)));
        add(
                "POST",
                PATH,
                429,
                () -> until(429, () -> post(buyer(), PATH + product(NARROW_SIGNED))));
    }

    /** way: where a user may buy. */
    private static void attempts(String path, String narrow, Function<String, String> way) {
        String blank = path.replace("{path}", NO_PATH);
        add("POST", path, 202, () -> attempt(way));
        add("POST", path, 400, () -> post(buyer(), blank));
        add("POST", path, 401, () -> post(null, blank + product(OPEN)));
        add("POST", path, 404, () -> post(buyer(), blank + product("999")));
        add("POST", path, 409, () -> post(null, blank + product(EARLY)));
        add("POST", path, 410, () -> post(null, blank + product(ENDED)));
        String user = buyer();
        add("POST", path, 429, () -> {
            String address = path.equals(BY_PATH) ? signed(user, narrow) : path + product(narrow);
            return until(429, () -> post(user, address));
        });
    }

    private static void results() {
        add("GET", RESULT, 200, () -> get(buyer(), RESULT + product(OPEN)));
        add("GET", RESULT, 400, () -> get(buyer(), RESULT));
        add("GET", RESULT, 401, () -> get(null, RESULT + product(OPEN)));
        add("GET", RESULT, 404, () -> get(buyer(), RESULT + product("999")));
        tooMany("GET", RESULT, RESULT + product(OPEN));
    }

    private static void orders() {
        String user = buyer();
        AtomicReference<String> sn = new AtomicReference<>(); // bought by whoever asks first
        Supplier<String> bought =
                () -> sn.updateAndGet(known -> known == null ? bought(user, OPEN) : known);
        add("GET", ORDERS, 200, () -> {
            assertThat(bought.get()).hasSize(NO_SN.length());
            return get(user, ORDERS);
        });
        add("GET", ORDERS, 400, () -> get(buyer(), ORDERS + "?limit=0"));
        add("GET", ORDERS, 401, () -> get(null, ORDERS));
        tooMany("GET", ORDERS, ORDERS);
        add("GET", ORDER, 200, () -> get(user, ORDERS + "/" + bought.get()));
        add("GET", ORDER, 401, () -> get(null, ORDERS + "/" + NO_SN));
        add("GET", ORDER, 404, () -> get(buyer(), ORDERS + "/" + bought.get()));
        tooMany("GET", ORDER, ORDERS + "/" + NO_SN);
        add("POST", PAY, 200, () -> post(user, ORDERS + "/" + bought.get() + "/pay"));
        add("POST", PAY, 401, () -> post(null, ORDERS + "/" + NO_SN + "/pay"));
        add("POST", PAY, 404, () -> post(buyer(), ORDERS + "/" + bought.get() + "/pay"));
        add("POST", PAY, 409, () -> {
            String late = buyer();
            String unpaid = bought(late, BRIEF);
            return until(409, () -> {
                pause(1_100);
                return post(late, ORDERS + "/" + unpaid + "/pay");
            });
        });
        tooMany("POST", PAY, ORDERS + "/" + NO_SN + "/pay");
    }

    /** What any route may answer: too long a line, too many headers, and an edge left alone. */
    private static void common() {
        for (Case one : DOCUMENT.cases()) {
            String address = one.path()
                    .replace("{productId}", OPEN)
                    .replace("{path}", NO_PATH)
                    .replace("{orderSn}", NO_SN);
            String query = address.startsWith(ROOT) ? product(OPEN) : "?";
            if (one.status() == 413) {
                add(
                        one,
                        () -> send(
                                buyer(),
                                one.method(),
                                COPY.uri(address + query + "&x=" + "x".repeat(9_000))));
            } else if (one.status() == 503) {
                add(one, () -> send(buyer(), one.method(), LONE.uri(address + query)));
            } else if (one.status() == 400 && !REQUESTS.containsKey(one.toString())) {
                add(one, () -> withHeaders(one.method(), COPY.uri(address + query)));
            }
        }
    }

    static Stream<Case> cases() {
        return DOCUMENT.cases().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void route_answers_each_status_as_it_is_written_down(Case one) {
        assertThat(REQUESTS).as("no test asks for it").containsKey(one.toString());

        HttpResponse<String> answer = REQUESTS.get(one.toString()).get();

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(one.status());
        assertThat(DOCUMENT.faults(one.method(), one.path(), answer))
                .as(answer.body())
                .isEmpty();
    }

    @Test
    void what_a_route_answers_here_is_written_down() {
        assertThat(REQUESTS.keySet())
                .isEqualTo(cases().map(Case::toString).collect(Collectors.toSet()));
    }

    static Stream<String> routes() {
        return DOCUMENT.paths().stream();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void route_takes_the_methods_that_are_written_down_and_names_them(String path) {
        List<String> taken = new ArrayList<>();
        for (String method : List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")) {
            String like = method.equals("HEAD") ? "GET" : method;
            HttpResponse<String> answer = send(null, method, COPY.uri(path.replaceAll("[{}]", "")));
            if (DOCUMENT.has(like, path)
                    && (like.equals(method) || !DOCUMENT.needsToken(like, path))) {
                taken.add(method);
                assertThat(answer.statusCode()).as(method).isNotEqualTo(405);
            } else {
                assertThat(answer.statusCode()).as(method).isEqualTo(405);
            }
        }
        assertThat(send(null, "PUT", COPY.uri(path.replaceAll("[{}]", "")))
                        .headers()
                        .firstValue("Allow"))
                .hasValue(String.join(", ", taken));
    }

    @Test
    void edge_serves_the_document() {
        assertThat(get(null, API).body()).isEqualTo(DOCUMENT.text());
    }

    @Test
    void answer_that_is_not_written_down_is_found() {
        HttpResponse<String> sales = get(null, SALES);
        HttpResponse<String> refused = post(null, DEDUCT + product(OPEN));

        assertThat(DOCUMENT.faults("GET", SALE, sales)).isNotEmpty();
        assertThat(DOCUMENT.faults("GET", API, sales))
                .containsExactly("Content-Type application/json");
        assertThat(DOCUMENT.faults("GET", SALES, refused)).containsExactly("status 401");
    }

    private static void add(
            String method, String path, int status, Supplier<HttpResponse<String>> request) {
        add(new Case(method, path, status), request);
    }

    private static void add(Case one, Supplier<HttpResponse<String>> request) {
        assertThat(REQUESTS.put(one.toString(), request)).as(one.toString()).isNull();
    }

    private static void tooMany(String method, String path, String address) {
        String user = buyer();
        add(method, path, 429, () -> until(429, () -> send(user, method, COPY.uri(address))));
    }

    private static HttpResponse<String> until(int status, Supplier<HttpResponse<String>> request) {
        return IntStream.range(0, MANY)
                .mapToObj(i -> request.get())
                .filter(answer -> answer.statusCode() == status)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + status + " among " + MANY));
    }

    /**
     * A shard that is silent for a moment is told BUSY, and one test's requests may have used up a
     * second that another needs: once more, later.
     */
    private static HttpResponse<String> soon(int status, Supplier<HttpResponse<String>> request) {
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .until(request::get, answer -> answer.statusCode() == status);
    }

    private static HttpResponse<String> attempt(Function<String, String> way) {
        return soon(202, () -> {
            String user = buyer();
            return post(user, way.apply(user));
        });
    }

    private static String bought(String user, String product) {
        soon(202, () -> post(user, DEDUCT + product(product)));
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> String.valueOf(
                                fields(get(user, RESULT + product(product))).get("orderSn")),
                        sn -> sn.length() == NO_SN.length());
    }

    private static String signed(String user, String product) {
        HttpResponse<String> told = soon(200, () -> post(user, PATH + product(product)));
        return byPath(String.valueOf(fields(told).get("path")), product);
    }

    private static String byPath(String path, String product) {
        return BY_PATH.replace("{path}", path) + product(product);
    }

    private static String product(String id) {
        return "?productId=" + id;
    }

    private static String buyer() {
        return "contract-" + OPEN + "-" + ++buyers;
    }

    private static String at(long secondsFromNow) {
        return Instant.now().plusSeconds(secondsFromNow).toString();
    }

    private static String sale(String... options) {
        String product = COPY.newProduct();
        List<String> words = new ArrayList<>(List.of("sale", "create", product, "--stock", "100"));
        words.addAll(List.of(options));
        COPY.must(words.toArray(String[]::new));
        return product;
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<?, ?> fields(HttpResponse<String> answer) {
        return Json.read(answer.body(), Map.class);
    }

    private static HttpResponse<String> get(String user, String path) {
        return send(user, "GET", COPY.uri(path));
    }

    private static HttpResponse<String> post(String user, String path) {
        return send(user, "POST", COPY.uri(path));
    }

    private static HttpResponse<String> withHeaders(String method, URI uri) {
        HttpRequest.Builder request = request(null, method, uri);
        IntStream.rangeClosed(0, 100).forEach(i -> request.header("X-" + i, "x"));
        return send(request);
    }

    /** {@code user} null sends no token. */
    private static HttpResponse<String> send(String user, String method, URI uri) {
        return send(request(user, method, uri));
    }

    private static HttpRequest.Builder request(String user, String method, URI uri) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10));
        return user == null
                ? request
                : request.header("Authorization", "Bearer " + COPY.token(user));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("no answer from the edge", e);
        }
    }
}
