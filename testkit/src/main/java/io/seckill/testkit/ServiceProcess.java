package io.seckill.testkit;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The packaged service of the module under test as a process of its own, configured by its
 * environment as in a running copy.
 */
public final class ServiceProcess extends LocalProcess {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String service;
    private final Map<String, String> environment;
    private final int port = freePort();

    /** Starts {@code target/SERVICE.jar}, e.g. {@code order-service}, and waits for an answer. */
    public ServiceProcess(String service, Map<String, String> environment) {
        super(service);
        this.service = service;
        this.environment = new HashMap<>(environment);
        this.environment.put(portVariable(service), Integer.toString(port));
        start();
    }

    public int port() {
        return port;
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** The status of its health: 200, or 503 while it lives without something it needs. */
    public int health() {
        try {
            return CLIENT.send(
                            HttpRequest.newBuilder(uri("/actuator/health"))
                                    .timeout(Duration.ofSeconds(20))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (Exception e) {
            throw new IllegalStateException(service + " does not answer", e);
        }
    }

    @Override
    protected List<String> command() {
        Path jar = Path.of("target", service + ".jar").toAbsolutePath();
        return java("-Xmx192m", "-jar", jar.toString());
    }

    @Override
    protected Map<String, String> environment() {
        return environment;
    }

    /** Green or not: what it needs may be away on purpose. */
    @Override
    protected boolean answers() {
        return health() > 0;
    }

    /** {@code SECKILL_ORDER_PORT} of order-service. */
    private static String portVariable(String service) {
        return "SECKILL_"
                + service.replace("-service", "-port").replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
