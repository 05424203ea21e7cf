package io.seckill.load.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.CrashPoint;
import java.util.EnumSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecoveryCrashTest {

    /** What a sale does not get to for sure, or not at all. */
    private static final EnumSet<CrashPoint> ELSEWHERE = EnumSet.of(
            CrashPoint.RECOVERY_DRAINING,
            CrashPoint.LOSS_RECORDED,
            CrashPoint.RETIREMENT_MOVING,
            CrashPoint.RETIREMENT_MOVED,
            CrashPoint.RETIREMENT_CLOSED,
            CrashPoint.CHANGE_TOPPED_UP,
            CrashPoint.REPAIR_MADE,
            CrashPoint.ATTEMPT_MADE,
            CrashPoint.ATTEMPT_UNANSWERED,
            CrashPoint.ATTEMPT_TAKEN,
            CrashPoint.RELAY_READ,
            CrashPoint.RELAY_CONFIRMED,
            CrashPoint.RELAY_DELETING,
            CrashPoint.SPOOL_MADE,
            CrashPoint.LANDING_WRITTEN,
            CrashPoint.LANDING_COUNTED,
            CrashPoint.LANDING_TAKEN,
            CrashPoint.LANDING_COMMITTED);

    @Test
    void seeds_that_follow_each_other_go_through_all_points_that_a_round_gets_to() {
        int all = RecoveryCrash.POINTS.size();
        assertThat(LongStream.range(32, 32 + all).mapToObj(RecoveryCrash::point))
                .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(ELSEWHERE));
    }

    @Test
    void round_that_crashes_in_a_return_has_orders_that_are_closed() {
        RecoveryCrash fault = new RecoveryCrash();
        LongStream.range(1, 100)
                .forEach(seed -> assertThat(fault.needsReturns(seed))
                        .isEqualTo(RecoveryCrash.point(seed) == CrashPoint.RETURN_ANSWERED
                                || RecoveryCrash.point(seed) == CrashPoint.RETURN_WRITTEN));
    }
}
