package io.seckill.load.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One measured figure.
 *
 * @param what what was measured, in words; unique in its scenario
 * @param figure in {@code unit}: `/s`, `ms`, `s`, `MB`, `%`
 * @param floors what it is compared with, measured in the same run by the same client
 * @param attempts what the CPU time is divided by; 0 when nothing was counted
 * @param cpuUs microseconds of CPU by part over the whole measurement; empty when not measured
 * @param remark what a reader must know to read the figure; may be empty
 * @param wrong what did not come out right, which makes the figure worth nothing; else empty
 */
record Row(
        String what,
        double figure,
        String unit,
        List<Floor> floors,
        long attempts,
        Map<String, Long> cpuUs,
        String remark,
        String wrong) {

    /** In {@link #cpuUs} beside the parts of the platform, and in no sum of them. */
    static final String CLIENT = "client";

    record Floor(String what, double figure) {}

    Row(String what, double figure, String unit) {
        this(what, figure, unit, List.of(), 0, Map.of(), "", "");
    }

    /** Another figure of the same measurement. */
    Row of(String otherWhat, double otherFigure) {
        return new Row(otherWhat, otherFigure, unit, floors, attempts, cpuUs, remark, wrong);
    }

    /** One floor more. */
    Row against(String floorName, double floorFigure) {
        List<Floor> all = new ArrayList<>(floors);
        all.add(new Floor(floorName, floorFigure));
        return new Row(what, figure, unit, List.copyOf(all), attempts, cpuUs, remark, wrong);
    }

    Row costing(long counted, Map<String, Long> byPart) {
        return new Row(what, figure, unit, floors, counted, byPart, remark, wrong);
    }

    /** One remark more. */
    Row remarked(String words) {
        return new Row(what, figure, unit, floors, attempts, cpuUs, joined(remark, words), wrong);
    }

    /** One thing more that is wrong; nothing when the words are empty. */
    Row judged(String words) {
        return new Row(what, figure, unit, floors, attempts, cpuUs, remark, joined(wrong, words));
    }

    static String joined(String some, String more) {
        return some.isEmpty() || more.isEmpty() ? some + more : some + "; " + more;
    }

    /** The figure as a multiple of a floor's. */
    double ratio(Floor floor) {
        return figure / floor.figure();
    }

    boolean isRight() {
        return wrong.isEmpty();
    }

    /** Microseconds of CPU per attempt of a part; NaN when not measured. */
    double cpuPerAttemptUs(String part) {
        Long all = cpuUs.get(part);
        return attempts == 0 || all == null ? Double.NaN : (double) all / attempts;
    }

    /** The same over all parts of the platform. */
    double cpuPerAttemptUs() {
        double all = cpuUs.entrySet().stream()
                .filter(part -> !part.getKey().equals(CLIENT))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return attempts == 0 ? Double.NaN : all / attempts;
    }
}
