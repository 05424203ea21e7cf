package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Bounds;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks for. A null field was not given: a new sale takes the default, an existing
 * one keeps what it has.
 */
public record SaleRequest(
        @NotNull(message = MISSING)
        @Pattern(
                regexp = Ids.PRODUCT,
                message = "must be a string of 1 to 18 digits that does not start with 0")
        String productId,

        @NotNull(message = MISSING) @Range(min = 1, max = Bounds.STOCK_UNITS, message = WHOLE)
        Long stock,

        @Range(min = 0, max = Bounds.PRICE_CENTS, message = WHOLE) @Nullable
        Long priceCents,

        @PlainText(maxBytes = Bounds.NAME_BYTES) @Nullable String name,

        @Range(min = 1, max = Bounds.PER_USER_LIMIT_UNITS, message = WHOLE) @Nullable
        Long perUserLimit,

        @IsoTime @Nullable String startAt,
        @IsoTime @Nullable String endAt,

        @Pattern(regexp = "on|off", message = "must be \"on\" or \"off\"") @Nullable
        String path,

        @Range(min = 1, max = Bounds.PAY_WITHIN_S, message = WHOLE) @Nullable
        Long payWithinSeconds,

        @Nullable Boolean synthetic) {

    private static final String MISSING = "is missing";
    private static final String WHOLE = "must be a whole number from {min} to {max}";
    private static final int FIRST_EPOCH = 1;
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    /** BAD_REQUEST when both times are given and do not fit each other. */
    void refuseEndBeforeStart() {
        if (startAt != null && endAt != null) {
            checkOrder(ms(startAt), ms(endAt));
        }
    }

    /** BAD_REQUEST for the one product that is never for sale. */
    void refuseWarmUp() {
        if (Ids.WARM_UP_PRODUCT.equals(productId)) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST,
                    "productId is the one that flash-sale-service warms up with; take another");
        }
    }

    /** The sale this request makes where there is none. */
    Sale sale(long nowMs, List<Integer> shards) {
        long startMs = startAt == null ? nowMs : ms(startAt);
        long endMs = endAt == null ? startMs + DAY_MS : ms(endAt);
        checkOrder(startMs, endMs);
        return new Sale(
                productId,
                or(name, "Product " + productId),
                or(priceCents, 0L),
                startMs,
                endMs,
                or(perUserLimit, 1L).intValue(),
                or(path, "off"),
                or(payWithinSeconds, 900L).intValue(),
                stock,
                or(synthetic, false),
                Placement.text(ring(shards)),
                Sale.State.PREPARING,
                nowMs);
    }

    /** Every shard has its part, in the first life of the product's units. */
    private static List<Placement> ring(List<Integer> shards) {
        return shards.stream()
                .map(shard -> new Placement(shard, FIRST_EPOCH, Placement.State.OPEN))
                .toList();
    }

    /** Each given field that the sale has otherwise, with both values. */
    List<String> differences(Sale sale) {
        List<Optional<String>> all = new ArrayList<>();
        all.add(difference("stock", stock, sale.stockTotal()));
        all.add(difference("priceCents", priceCents, sale.priceCents()));
        all.add(difference("name", name, sale.name()));
        all.add(difference("perUserLimit", perUserLimit, (long) sale.perUserLimit()));
        all.add(difference("startAt", time(startAt), Instant.ofEpochMilli(sale.startAtMs())));
        all.add(difference("endAt", time(endAt), Instant.ofEpochMilli(sale.endAtMs())));
        all.add(difference("path", path, sale.path()));
        all.add(difference("payWithinSeconds", payWithinSeconds, (long) sale.payWithinS()));
        all.add(difference("synthetic", synthetic, sale.synthetic()));
        return all.stream().flatMap(Optional::stream).toList();
    }

    private static Optional<String> difference(String field, @Nullable Object asked, Object has) {
        return asked == null || asked.equals(has)
                ? Optional.empty()
                : Optional.of(field + " is " + has + ", asked for " + asked);
    }

    private static long ms(String time) {
        return OffsetDateTime.parse(time).toInstant().toEpochMilli();
    }

    private static @Nullable Instant time(@Nullable String time) {
        return time == null ? null : Instant.ofEpochMilli(ms(time));
    }

    private static void checkOrder(long startMs, long endMs) {
        if (endMs <= startMs) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST,
                    "endAt must be after startAt (" + Instant.ofEpochMilli(endMs) + " is not after "
                            + Instant.ofEpochMilli(startMs) + ")");
        }
    }

    private static <T> T or(@Nullable T given, T initial) {
        return given == null ? initial : given;
    }
}
