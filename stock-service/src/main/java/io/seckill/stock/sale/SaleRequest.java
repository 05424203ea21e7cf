package io.seckill.stock.sale;

import io.seckill.contracts.Ids;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What an operator asks for. A null field was not given: a new sale takes the default, an existing
 * one keeps what it has.
 */
public record SaleRequest(
        String productId,
        Long stock,
        Long priceCents,
        String name,
        Long perUserLimit,
        Long startAtMs,
        Long endAtMs,
        String path,
        Long payWithinSeconds) {

    private static final Set<String> NAMES = Set.of(
            "productId",
            "stock",
            "priceCents",
            "name",
            "perUserLimit",
            "startAt",
            "endAt",
            "path",
            "payWithinSeconds");
    private static final int EPOCH = 1;
    private static final int MAX_NAME_BYTES = 200;
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    public static SaleRequest of(byte[] json) {
        Members members = Members.of(json, NAMES);
        SaleRequest request = new SaleRequest(
                Members.required(
                        "productId",
                        members.text(
                                "productId",
                                Ids::isProduct,
                                "a string of 1 to 18 digits that does not start with 0")),
                Members.required("stock", members.whole("stock", 1, 1_000_000_000)),
                members.whole("priceCents", 0, 1_000_000_000_000L),
                members.text(
                        "name",
                        SaleRequest::isName,
                        "text of 1 to " + MAX_NAME_BYTES + " bytes without control characters"),
                members.whole("perUserLimit", 1, 1_000),
                members.timeMs("startAt"),
                members.timeMs("endAt"),
                members.text("path", Set.of("on", "off")::contains, "\"on\" or \"off\""),
                members.whole("payWithinSeconds", 1, 7 * 86_400));
        if (request.startAtMs != null && request.endAtMs != null) {
            checkOrder(request.startAtMs, request.endAtMs);
        }
        return request;
    }

    /** The sale this request makes where there is none. */
    Sale sale(long nowMs, int shardCount) {
        long startMs = or(startAtMs, nowMs);
        long endMs = or(endAtMs, startMs + DAY_MS);
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
                shardCount,
                EPOCH,
                Sale.State.PREPARING,
                nowMs);
    }

    /** Each given field that the sale has otherwise, with both values. */
    List<String> differences(Sale sale) {
        List<Optional<String>> all = new ArrayList<>();
        all.add(difference("stock", stock, sale.stockTotal()));
        all.add(difference("priceCents", priceCents, sale.priceCents()));
        all.add(difference("name", name, sale.name()));
        all.add(difference("perUserLimit", perUserLimit, (long) sale.perUserLimit()));
        all.add(difference("startAt", time(startAtMs), time(sale.startAtMs())));
        all.add(difference("endAt", time(endAtMs), time(sale.endAtMs())));
        all.add(difference("path", path, sale.path()));
        all.add(difference("payWithinSeconds", payWithinSeconds, (long) sale.payWithinS()));
        return all.stream().flatMap(Optional::stream).toList();
    }

    private static Optional<String> difference(String field, Object asked, Object has) {
        return asked == null || Objects.equals(asked, has)
                ? Optional.empty()
                : Optional.of(field + " is " + has + ", asked for " + asked);
    }

    private static Instant time(Long ms) {
        return ms == null ? null : Instant.ofEpochMilli(ms);
    }

    private static void checkOrder(long startMs, long endMs) {
        if (endMs <= startMs) {
            throw Members.bad("endAt must be after startAt (" + time(endMs) + " is not after "
                    + time(startMs) + ")");
        }
    }

    /** Bytes, not characters: the edge keeps the name in as many. */
    private static boolean isName(String name) {
        return !name.isBlank()
                && name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES
                && StandardCharsets.UTF_8.newEncoder().canEncode(name)
                && name.chars().noneMatch(Character::isISOControl);
    }

    private static <T> T or(T given, T initial) {
        return given == null ? initial : given;
    }
}
