package io.seckill.stock.relay;

import io.seckill.stock.sale.Sale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many attempts the edges may let through: {@code ceil(units * percent / 100)}, exactly.
 *
 * <p>Each edge leases a few attempts at a time, so attempts may be issued and never made. While
 * units are left the total is therefore raised whenever all of it is issued: a quota slows a crowd,
 * and never keeps a unit from being sold. It is never lowered, for what is issued is issued.
 */
final class Quota {

    /** 15 digits: exact in the numbers of the edge's script. */
    private static final String WHOLE = "0|[1-9][0-9]{0,14}";

    /** The quota's own life, of which there is one as yet; no shard's epoch. */
    private static final String EPOCH = "1";

    private Quota() {}

    /**
     * The fields to write so that the quota is right; empty when it is.
     *
     * @param written {@code total issued epoch} as found, null where missing
     */
    static Map<String, String> changes(List<String> written, Sale sale, long percent, long units) {
        boolean isOurs = EPOCH.equals(written.get(2));
        long total = isOurs ? number(written.get(0)) : 0;
        long issued = isOurs ? number(written.get(1)) : 0;
        Map<String, String> right = Map.of(
                "total", Long.toString(total(sale.stockTotal(), percent, total, issued, units)),
                "issued", Long.toString(issued),
                "epoch", EPOCH);
        Map<String, String> changes = new LinkedHashMap<>(right);
        changes.remove("total", written.get(0));
        changes.remove("issued", written.get(1));
        changes.remove("epoch", written.get(2));
        return changes;
    }

    /** Whole numbers only: the edges count attempts, and a rounded-down quota strands one. */
    static long total(long stockTotal, long percent, long total, long issued, long units) {
        long atLeast = Math.max(total, share(stockTotal, percent));
        return units > 0 && issued >= atLeast ? issued + share(units, percent) : atLeast;
    }

    private static long share(long units, long percent) {
        return (units * percent + 99) / 100;
    }

    /** What no edge or service writes counts as 0 and is written anew. */
    private static long number(@Nullable String text) {
        return text != null && text.matches(WHOLE) ? Long.parseLong(text) : 0;
    }
}
