package io.seckill.contracts;

import static java.util.Objects.requireNonNullElse;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sale as the hash {@code seckill:sale:PRODUCT} tells it: stock-service writes it, the edge and
 * flash-sale-service read it. Only what was checked is believed.
 *
 * @param endAtMs the first moment at which it is over
 * @param placements the shards that hold its units, in the order of the ring
 * @param soldOut a hint that spares attempts: every shard answered "nothing left"
 * @param synthetic made to measure, shown to no buyer, and removed when done
 */
public record PublishedSale(
        String productId,
        String name,
        long priceCents,
        long startAtMs,
        long endAtMs,
        int perUserLimit,
        boolean path,
        int payWithinS,
        long stockTotal,
        List<Placement> placements,
        boolean soldOut,
        boolean synthetic) {

    /** 14 digits are exact in every reader's numbers, also in Lua's. */
    private static final String WHOLE = "0|[1-9][0-9]{0,13}";

    private static final String WHOLE_INT = "0|[1-9][0-9]{0,8}";

    public PublishedSale {
        Check.that(Ids.isProduct(productId), "product_id", productId);
        Check.that(isName(name), "name", name);
        isWithin("price_cents", priceCents, 0, Bounds.PRICE_CENTS);
        Check.that(startAtMs < endAtMs, "end_at_ms", endAtMs);
        isWithin("per_user_limit", perUserLimit, 1, Bounds.PER_USER_LIMIT_UNITS);
        isWithin("pay_within_s", payWithinS, 1, Bounds.PAY_WITHIN_S);
        isWithin("stock_total", stockTotal, 1, Bounds.STOCK_UNITS);
        placements = List.copyOf(placements);
    }

    /** The sale a hash tells; throws IllegalArgumentException naming the field that is wrong. */
    public static PublishedSale of(Map<String, String> hash) {
        return new PublishedSale(
                text(hash, "product_id"),
                text(hash, "name"),
                whole(hash, "price_cents"),
                whole(hash, "start_at_ms"),
                whole(hash, "end_at_ms"),
                wholeInt(hash, "per_user_limit"),
                flag(hash, "path", "on", "off"),
                wholeInt(hash, "pay_within_s"),
                whole(hash, "stock_total"),
                Placement.parse(text(hash, "placements")),
                flag(hash, "sold_out", "1", "0"),
                flag(hash, "synthetic", "1", "0"));
    }

    /** The hash of this sale: every field of it, and no other. */
    public Map<String, String> hash() {
        Map<String, String> hash = new LinkedHashMap<>();
        hash.put("product_id", productId);
        hash.put("name", name);
        hash.put("price_cents", Long.toString(priceCents));
        hash.put("start_at_ms", Long.toString(startAtMs));
        hash.put("end_at_ms", Long.toString(endAtMs));
        hash.put("per_user_limit", Integer.toString(perUserLimit));
        hash.put("path", path ? "on" : "off");
        hash.put("pay_within_s", Integer.toString(payWithinS));
        hash.put("stock_total", Long.toString(stockTotal));
        hash.put("placements", Placement.text(placements));
        hash.put("sold_out", soldOut ? "1" : "0");
        hash.put("synthetic", synthetic ? "1" : "0");
        return hash;
    }

    private static boolean isName(String name) {
        return name != null
                && !name.isEmpty()
                && name.getBytes(StandardCharsets.UTF_8).length <= Bounds.NAME_BYTES
                && name.chars().noneMatch(Character::isISOControl);
    }

    private static void isWithin(String field, long value, long min, long max) {
        Check.that(value >= min && value <= max, field, value);
    }

    private static long whole(Map<String, String> hash, String field) {
        return Long.parseLong(fitting(hash, field, WHOLE));
    }

    private static int wholeInt(Map<String, String> hash, String field) {
        return Integer.parseInt(fitting(hash, field, WHOLE_INT));
    }

    private static boolean flag(Map<String, String> hash, String field, String yes, String no) {
        return fitting(hash, field, yes + "|" + no).equals(yes);
    }

    private static String fitting(Map<String, String> hash, String field, String pattern) {
        String value = text(hash, field);
        Check.that(value.matches(pattern), field, value);
        return value;
    }

    /** What is missing is refused as the empty text is. */
    private static String text(Map<String, String> hash, String field) {
        return requireNonNullElse(hash.get(field), "");
    }
}
