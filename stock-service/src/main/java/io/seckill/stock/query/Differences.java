package io.seckill.stock.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Collects what does not hold, as sentences that name equation, product, place and numbers. */
final class Differences {

    /** Ids named per difference; the rest is counted. */
    private static final int EXAMPLES = 3;

    private final List<String> all;
    private final String where;

    private Differences(List<String> all, String where) {
        this.all = all;
        this.where = where;
    }

    static Differences ofProduct(String productId) {
        return new Differences(new ArrayList<>(), "product " + productId);
    }

    /** The same collection, for one place in the product. */
    Differences of(String place) {
        return new Differences(all, where + ", " + place);
    }

    void unless(boolean holds, String equation, String what, Object... numbers) {
        if (!holds) {
            all.add(equation + " " + where + ": " + what.formatted(numbers));
        }
    }

    void none(Set<String> ids, String equation, String what) {
        String examples = ids.stream().limit(EXAMPLES).collect(Collectors.joining(", "));
        unless(
                ids.isEmpty(),
                equation,
                "%d %s: %s%s",
                ids.size(),
                what,
                examples,
                ids.size() > EXAMPLES ? ", …" : "");
    }

    List<String> all() {
        return List.copyOf(all);
    }
}
