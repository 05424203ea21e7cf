package io.seckill.load.faults;

import java.util.List;

/**
 * How a round ended.
 *
 * @param fault its title, and what of it the seed chose
 * @param closes orders were left unpaid and closed
 * @param takesTwo some wanted two units
 * @param bite what the fault took or met; 0: the round shows nothing
 * @param quietMs from the last part's start until all held
 * @param broken what did not hold, in sentences
 */
record Outcome(
        String fault,
        long seed,
        String productId,
        int shard,
        boolean closes,
        boolean takesTwo,
        long bite,
        long quietMs,
        List<String> broken) {

    boolean isRight() {
        return broken.isEmpty();
    }

    boolean isVacuous() {
        return isRight() && bite <= 0;
    }

    String words() {
        String how = isVacuous() ? "VACUOUS" : isRight() ? "right" : "BROKEN";
        return "%s, seed %d: %s after %.1f s; bit %d; product %s, shard %d, %s%s%s"
                .formatted(
                        fault,
                        seed,
                        how,
                        quietMs / 1e3,
                        bite,
                        productId,
                        shard,
                        closes ? "orders closed" : "none closed",
                        takesTwo ? ", some want two" : "",
                        String.join(
                                "", broken.stream().map(each -> "\n    " + each).toList()));
    }
}
