package io.seckill.flashsale;

import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.stream.IntStream;

/** Histograms of how long a part of an attempt took, all with the same bounds: it ends within 1 s. */
public final class Latencies {

    private static final Duration[] BOUNDS = IntStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private Latencies() {}

    /** To be registered once and kept: looking one up costs an attempt more than recording. */
    public static Timer.Builder of(String name) {
        return Timer.builder(name).tag("hop", "flash-sale").serviceLevelObjectives(BOUNDS);
    }
}
