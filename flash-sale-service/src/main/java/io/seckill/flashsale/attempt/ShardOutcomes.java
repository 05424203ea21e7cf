package io.seckill.flashsale.attempt;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.seckill.common.Counters;
import io.seckill.flashsale.Latencies;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ReserveOutcome.Word;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * What became of attempts at each shard, and how long that took there.
 *
 * <p>An attempt counts once at each shard it comes to, however often it is sent there under its id,
 * and once more when that has ended. Timed are those that the shard answered, or left unknown at
 * the deadline: what was not done says nothing of how fast the shard is. All meters are made at the
 * start, {@code Ending} times shards, and kept: counting looks nothing up.
 */
@Component
final class ShardOutcomes {

    /** How it ended at a shard: by the shard's {@link Word}, or without one. */
    enum Ending {
        TAKEN(true),
        GONE(true),
        DEADLINE_PASSED(true),
        NOT_LOADED(true),
        GATED(true),
        ALREADY_BOUGHT(true),
        SOLD_OUT(true),
        /** Nothing was sent: the shard was silent a moment ago. */
        LEFT_OUT(false),
        /** Nothing was sent: as many wait, or are on their way there, as may. */
        FULL(false),
        /** Nothing was done: it cannot be reached, or said so by an error. */
        DOWN(false),
        /** Nobody knew at the deadline. */
        UNKNOWN(true),
        /** This service failed; the log says how. */
        FAILED(false);

        private final boolean isTimed;

        Ending(boolean isTimed) {
            this.isTimed = isTimed;
        }

        static Ending of(Word word) {
            return valueOf(word.name());
        }
    }

    /** Of one shard. */
    private record Meters(Counter asked, Map<Ending, Counter> endings, Timer times) {}

    private final List<Meters> shards;

    @Autowired
    ShardOutcomes(Counters counters, MeterRegistry registry, QuantityStocks shards) {
        this(counters, registry, shards.all().size());
    }

    ShardOutcomes(Counters counters, MeterRegistry registry, int shards) {
        this.shards = IntStream.range(0, shards)
                .mapToObj(Integer::toString)
                .map(shard -> meters(counters, registry, shard))
                .toList();
    }

    private static Meters meters(Counters counters, MeterRegistry registry, String shard) {
        Map<Ending, Counter> endings = new EnumMap<>(Ending.class);
        for (Ending ending : Ending.values()) {
            endings.put(ending, counters.of("seckill_shard_outcomes_total", shard, ending.name()));
        }
        return new Meters(
                counters.of("seckill_shard_asked_total", shard),
                endings,
                Latencies.of("seckill_shard_attempt_seconds")
                        .description("from an attempt that came to a shard to its outcome there")
                        .tag("shard", shard)
                        .register(registry));
    }

    void asked(int shard) {
        shards.get(shard).asked().increment();
    }

    void ended(int shard, Ending ending, long askedAtNs) {
        Meters meters = shards.get(shard);
        requireNonNull(meters.endings().get(ending)).increment();
        if (ending.isTimed) {
            meters.times().record(System.nanoTime() - askedAtNs, TimeUnit.NANOSECONDS);
        }
    }
}
