package io.seckill.load.bench;

import java.util.Map;
import java.util.Optional;

/**
 * One measured figure.
 *
 * @param what what was measured, in words; unique in its scenario
 * @param figure in {@code unit}: `/s`, `ms`, `s`, `MB`, `%`
 * @param floor what it is compared with, measured in the same run by the same client
 * @param attempts what the CPU time is divided by; 0 when nothing was counted
 * @param cpuUs microseconds of CPU by part over the whole measurement; empty when not measured
 * @param remark what a reader must know to read the figure; may be empty
 */
record Row(
        String what,
        double figure,
        String unit,
        Optional<Floor> floor,
        long attempts,
        Map<String, Long> cpuUs,
        String remark) {

    record Floor(String what, double figure) {}

    Row(String what, double figure, String unit) {
        this(what, figure, unit, Optional.empty(), 0, Map.of(), "");
    }

    Row against(String floorName, double floorFigure) {
        Floor named = new Floor(floorName, floorFigure);
        return new Row(what, figure, unit, Optional.of(named), attempts, cpuUs, remark);
    }

    Row costing(long counted, Map<String, Long> byPart) {
        return new Row(what, figure, unit, floor, counted, byPart, remark);
    }

    Row remarked(String words) {
        return new Row(what, figure, unit, floor, attempts, cpuUs, words);
    }

    /** The figure as a part of its floor. */
    Optional<Double> ratio() {
        return floor.map(known -> figure / known.figure());
    }

    /** Microseconds of CPU per attempt over all parts. */
    double cpuPerAttemptUs() {
        double all = cpuUs.values().stream().mapToLong(Long::longValue).sum();
        return attempts == 0 ? 0 : all / attempts;
    }
}
