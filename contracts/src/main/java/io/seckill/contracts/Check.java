package io.seckill.contracts;

/** Refuses a field of a message by name. */
final class Check {

    private Check() {}

    static void that(boolean holds, String field, Object value) {
        if (!holds) {
            throw new IllegalArgumentException("bad " + field + ": " + value);
        }
    }
}
