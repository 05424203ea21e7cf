package io.seckill.load.bench;

import io.seckill.load.copy.RunningCopy;
import io.seckill.quantity.QuantityStock;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often a shard can run the reserve script and do nothing else: redis-benchmark, 32 calls at a
 * time on each of 8 connections, each call another user and reservation.
 */
final class ReserveFloor {

    private static final double NEARLY_ALL = 0.99; // its random numbers meet now and then

    /** A line of its CSV is: name, calls per second, latencies. */
    private static final Pattern FIGURE = Pattern.compile("\",\"([0-9.]+)\",");

    private ReserveFloor() {}

    /** Calls a second. Throws when they did not take what they should have. */
    static double perSecond(RunningCopy copy, int calls) throws IOException, InterruptedException {
        try (ScratchProduct product = new ScratchProduct(copy, 2L * calls)) {
            double perSecond = run(command(product, calls));
            if (product.taken() < NEARLY_ALL * calls) {
                throw new IllegalStateException("redis-benchmark took " + product.taken()
                        + " units in " + calls + " calls");
            }
            return perSecond;
        }
    }

    private static List<String> command(ScratchProduct product, int calls) throws IOException {
        String deadline =
                Long.toString(System.currentTimeMillis() + Duration.ofDays(1).toMillis());
        List<String> command = new ArrayList<>(List.of("redis-benchmark", "--csv"));
        command.addAll(List.of("-h", product.shard().host()));
        command.addAll(List.of("-p", Integer.toString(product.shard().port())));
        command.addAll(List.of("-n", Integer.toString(calls), "-c", "8", "-P", "32"));
        command.addAll(List.of("-r", "1000000000"));
        command.addAll(List.of("EVALSHA", product.redis().scriptLoad(script()), "4"));
        command.addAll(product.keys());
        command.addAll(List.of("__rand_int__", "user__rand_int__", "1", deadline, "0"));
        return command;
    }

    private static String script() throws IOException {
        try (InputStream in = QuantityStock.class.getResourceAsStream("/quantity/reserve.lua")) {
            if (in == null) {
                throw new IllegalStateException("quantity/reserve.lua is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static double run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher figure = FIGURE.matcher(said);
        if (process.waitFor() != 0 || !figure.find()) {
            throw new IllegalStateException("redis-benchmark failed: " + said);
        }
        return Double.parseDouble(figure.group(1));
    }
}
