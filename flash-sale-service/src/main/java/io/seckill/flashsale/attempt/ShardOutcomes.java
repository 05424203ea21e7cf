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
 * start, one for each outcome and shard, and kept: counting looks nothing up.
 */
@Component
final class ShardOutcomes {

    /** Why there is no word of the shard. */
    enum Silence {
        /** Nothing was sent: the shard was silent a moment ago. */
        LEFT_OUT,
        /** Nothing was sent: as many wait, or are on their way there, as may. */
        FULL,
        /** Nothing was done: it cannot be reached, or said so by an error. */
        DOWN,
        /** Nobody knew at the deadline. */
        UNKNOWN,
        /** This service failed; the log says how. */
        FAILED
    }

    /** Of one shard. */
    private record Meters(
            Counter asked, Map<Word, Counter> words, Map<Silence, Counter> silences, Timer times) {}

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
        return new Meters(
                counters.of("seckill_shard_asked_total", shard),
                outcomes(Word.class, counters, shard),
                outcomes(Silence.class, counters, shard),
                Latencies.of("seckill_shard_attempt_seconds")
                        .description("from an attempt that came to a shard to its outcome there")
                        .tag("shard", shard)
                        .register(registry));
    }

    private static <E extends Enum<E>> Map<E, Counter> outcomes(
            Class<E> kind, Counters counters, String shard) {
        Map<E, Counter> outcomes = new EnumMap<>(kind);
        for (E each : kind.getEnumConstants()) {
            outcomes.put(each, counters.of("seckill_shard_outcomes_total", shard, each.name()));
        }
        return outcomes;
    }

    void asked(int shard) {
        shards.get(shard).asked().increment();
    }

    void answered(int shard, Word word, long askedAtNs) {
        Meters meters = shards.get(shard);
        requireNonNull(meters.words().get(word)).increment();
        meters.times().record(System.nanoTime() - askedAtNs, TimeUnit.NANOSECONDS);
    }

    void unanswered(int shard, Silence why, long askedAtNs) {
        Meters meters = shards.get(shard);
        requireNonNull(meters.silences().get(why)).increment();
        if (why == Silence.UNKNOWN) {
            meters.times().record(System.nanoTime() - askedAtNs, TimeUnit.NANOSECONDS);
        }
    }
}
