package io.seckill.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What one Redis holds of the product. Epoch 0: there is no stock hash, or one being rebuilt. */
final class Stock {

    final List<Taken> outbox = new ArrayList<>();
    final Map<String, String> buyers = new TreeMap<>();
    final Map<String, Kept> reservations = new TreeMap<>();
    final TreeSet<Integer> changes = new TreeSet<>();
    int epoch;
    int openFor;
    int rebuilt;
    int building;
    int available;
    int init;
    int deducted;
    int returned;
    int burned;
    int seq;
    private String text = "";

    Stock() {}

    Stock(Stock from) {
        this();
        outbox.addAll(from.outbox);
        buyers.putAll(from.buyers);
        reservations.putAll(from.reservations);
        changes.addAll(from.changes);
        epoch = from.epoch;
        openFor = from.openFor;
        rebuilt = from.rebuilt;
        building = from.building;
        available = from.available;
        init = from.init;
        deducted = from.deducted;
        returned = from.returned;
        burned = from.burned;
        seq = from.seq;
    }

    /** As a first load or a rebuild writes it. */
    void load(int newEpoch, int allocated, int live) {
        epoch = newEpoch;
        rebuilt = newEpoch;
        init = allocated;
        deducted = live;
        available = allocated - live;
    }

    void hold(Taken taken) {
        buyers.put(taken.user(), taken.id());
        reservations.put(taken.id(), new Kept(Kept.State.R, taken));
    }

    boolean isReserved(String id) {
        Kept kept = reservations.get(id);
        return kept != null && kept.isReserved();
    }

    List<Kept> reserved() {
        return reservations.values().stream().filter(Kept::isReserved).toList();
    }

    /** A1. */
    boolean balances() {
        return available >= 0 && init - deducted + returned == available;
    }

    /** Once asked for it stays: only the script that made a state changes it. */
    @Override
    public String toString() {
        if (text.isEmpty()) {
            text = "e" + epoch + " open " + openFor + " rebuilt " + rebuilt + " building "
                    + building
                    + " a" + available + " i" + init + " d" + deducted + " r" + returned + " b"
                    + burned
                    + " seq " + seq + changes + reservations.values() + buyers + outbox;
        }
        return text;
    }
}
