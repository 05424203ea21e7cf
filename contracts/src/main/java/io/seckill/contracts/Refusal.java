package io.seckill.contracts;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.LinkedHashMap;
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
    NOT_STARTED,
    ENDED,
    PAYLOAD_TOO_LARGE,
    TOO_MANY_REQUESTS,
    PAUSED,
    BUSY;

    /** A row of the table. {@code retryAfterMs} 0: a retry does not help. */
    record Row(String code, int status, long retryAfterMs, String message) {}

    /** A name and no address: an answer may come from any host, and none has a page for it. */
    private static final String TYPE = "urn:seckill:problem:";

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

    /**
     * What its body says as a problem detail (RFC 9457) and as ours, in this order; the wait
     * follows. {@code message} is the table's or names the thing.
     */
    public Map<String, Object> problem(String message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", TYPE + name());
        fields.put("title", message());
        fields.put("status", status());
        fields.put("detail", message);
        fields.put("code", name());
        fields.put("message", message);
        return fields;
    }

    static Map<String, Row> table() {
        return TABLE;
    }

    private Row row() {
        return requireNonNull(TABLE.get(name()), () -> "refusals.json has no row for " + name());
    }
}
