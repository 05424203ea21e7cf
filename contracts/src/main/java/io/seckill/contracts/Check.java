package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/** Refuses a field of a message by name. */
final class Check {

    private Check() {}

    static void that(boolean holds, String field, @Nullable Object value) {
        if (!holds) {
            throw new IllegalArgumentException("bad " + field + ": " + value);
        }
    }
}
