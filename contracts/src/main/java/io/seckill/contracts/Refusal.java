package io.seckill.contracts;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A fixed word for "no". Status, message and retry come from refusals.json, which Lua reads too.
 */
public enum Refusal {
    BAD_REQUEST,
    UNAUTHENTICATED,
    FORBIDDEN,
    NOT_FOUND,
    NO_SUCH_SALE,
    NO_SUCH_ORDER,
    METHOD_NOT_ALLOWED,
    SOLD_OUT,
    ALREADY_BOUGHT,
    ORDER_NOT_PAYABLE,
    PAYMENT_CONFLICT,
    SALE_CONFLICT,
    NOT_SYNTHETIC,
    ENDED,
    PAYLOAD_TOO_LARGE,
    NOT_STARTED,
    TOO_MANY_REQUESTS,
    BUSY;

    /** A row of the table. {@code retryAfterMs} 0: a retry does not help. */
    record Row(String code, int status, long retryAfterMs, String message) {}

    private static final Map<String, Row> TABLE = Arrays.stream(
                    Json.table("refusals.json", Row[].class))
            .collect(Collectors.toUnmodifiableMap(Row::code, Function.identity()));

    public int status() {
        return row().status();
    }

    public String message() {
        return row().message();
    }

    public long retryAfterMs() {
        return row().retryAfterMs();
    }

    static Map<String, Row> table() {
        return TABLE;
    }

    private Row row() {
        return requireNonNull(TABLE.get(name()), () -> "refusals.json has no row for " + name());
    }
}
