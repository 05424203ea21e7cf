package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A measured figure, printed beside its bound. The bound is of two idle cores: where others use
 * them too a test fails only for {@link #SLACK} times as much.
 */
public final class Bound {

    private static final int SLACK = 4;

    private Bound() {}

    public static void most(String what, double measured, double bound, String unit) {
        print(what, measured, "at most", bound, unit);
        assertThat(measured).as(what).isLessThanOrEqualTo(bound * SLACK);
    }

    public static void least(String what, double measured, double bound, String unit) {
        print(what, measured, "at least", bound, unit);
        assertThat(measured).as(what).isGreaterThanOrEqualTo(bound / SLACK);
    }

    private static void print(
            String what, double measured, String sense, double bound, String unit) {
        System.out.printf(
                "%s: %.1f %s (%s %.0f, a test fails beyond %d times that)%n",
                what, measured, unit, sense, bound, SLACK);
    }
}
