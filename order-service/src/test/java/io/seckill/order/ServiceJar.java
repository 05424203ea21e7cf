package io.seckill.order;

import io.seckill.testkit.Part;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The packaged service as a process of its own, configured by its environment as in a running copy.
 */
final class ServiceJar extends Part {

    private final int port;
    private final List<String> environment;

    ServiceJar(int port, String... environment) {
        super("order-service");
        this.port = port;
        this.environment = List.of(environment);
        start();
    }

    @Override
    protected List<String> command() {
        List<String> command = new ArrayList<>(List.of("env", "SECKILL_ORDER_PORT=" + port));
        command.addAll(environment);
        command.addAll(java(
                "-Xmx160m",
                "-jar",
                Path.of("target/order-service.jar").toAbsolutePath().toString()));
        return command;
    }

    @Override
    protected boolean answers() {
        return health() > 0;
    }

    int health() {
        return Answer.to("GET", port, "/actuator/health", "").status();
    }
}
