package io.seckill.common;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.contracts.CounterTable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The counters of this hop, each of them a row of counters.json; one that is not cannot be made.
 *
 * <p>Counters without labels are there from the start with 0, the others from the first count.
 * Values of labels come from the program, never from a client; beyond {@link #MAX_SERIES} series
 * in all a new one is refused, for each costs memory for good. Counting never blocks and is safe
 * from any thread. A restart begins with 0: equations hold per process, while nothing is in flight.
 */
public final class Counters {

    /** The most shards of a sale, 64, with all that an attempt may end with there, and the rest. */
    static final int MAX_SERIES = 1_024;

    private final MeterRegistry registry;
    private final String hop;
    private final CounterTable table;
    private final Map<List<String>, Counter> series = new ConcurrentHashMap<>();

    public Counters(MeterRegistry registry, String hop) {
        this.registry = registry;
        this.hop = hop;
        this.table = CounterTable.of(hop);
        table.rows().stream()
                .filter(row -> row.labels().isEmpty())
                .forEach(row -> add(0, row.name()));
    }

    /** One more; {@code labels} are the values of the row's labels, in their order. */
    public void count(String name, String... labels) {
        add(1, name, labels);
    }

    /** So many more. Throws IllegalArgumentException for what the table does not have. */
    public void add(long count, String name, String... labels) {
        of(name, labels).increment((double) count);
    }

    /** To be kept and counted with, by who counts so often that finding it would be felt. */
    public Counter of(String name, String... labels) {
        List<String> key = key(name, labels);
        Counter counter = series.get(key);
        if (counter == null) {
            counter = series.computeIfAbsent(key, this::register);
        }
        return counter;
    }

    private static List<String> key(String name, String[] labels) {
        return switch (labels.length) {
            case 0 -> List.of(name);
            case 1 -> List.of(name, labels[0]);
            default -> join(name, labels);
        };
    }

    private static List<String> join(String name, String[] labels) {
        String[] all = new String[labels.length + 1];
        all[0] = name;
        System.arraycopy(labels, 0, all, 1, labels.length);
        return List.of(all);
    }

    private Counter register(List<String> key) {
        CounterTable.Row row = table.row(key.get(0));
        if (row.labels().size() != key.size() - 1) {
            throw new IllegalArgumentException(
                    row.name() + " has the labels " + row.labels() + ", not as many as " + key);
        }
        if (series.size() >= MAX_SERIES) {
            throw new IllegalStateException("more than " + MAX_SERIES + " series of counters");
        }
        Counter.Builder builder =
                Counter.builder(row.name()).description(row.help()).tag("hop", hop);
        for (int i = 0; i < row.labels().size(); i++) {
            builder.tag(row.labels().get(i), key.get(i + 1));
        }
        return builder.register(registry);
    }
}
