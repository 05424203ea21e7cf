package io.seckill.flashsale;

import io.seckill.contracts.Refusal;

import java.util.function.Function;

/** What a room answers: a value, or the word of its refusal. Refusing is not throwing here. */
public sealed interface Outcome<T> {

    record Value<T>(T value) implements Outcome<T> {}

    record Refused<T>(Refusal refusal) implements Outcome<T> {}

    static <T> Outcome<T> of(T value) {
        return new Value<>(value);
    }

    static <T> Outcome<T> refused(Refusal refusal) {
        return new Refused<>(refusal);
    }

    /** The answer to whichever of the two it is. */
    default <R> R either(Function<T, R> ofValue, Function<Refusal, R> ofRefusal) {
        return this instanceof Value<T> known
                ? ofValue.apply(known.value())
                : ofRefusal.apply(((Refused<T>) this).refusal());
    }

    /** Goes on with the value; a refusal stays as it is. */
    default <R> Outcome<R> then(Function<T, Outcome<R>> next) {
        return either(next, Outcome::refused);
    }
}
