package io.seckill.common;

import io.seckill.contracts.Refusal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ends a request with a word of the refusal table. Not an error: no stack trace, no log line. */
public final class RefusedException extends RuntimeException {

    private final Refusal refusal;
    private final @Nullable String detail;
    private final transient Map<String, Object> more;
    private final transient Map<String, String> headers;

    public RefusedException(Refusal refusal) {
        this(refusal, null, Map.of());
    }

    /** {@code detail} replaces the table's message: it names the thing and what to do. */
    public RefusedException(Refusal refusal, String detail) {
        this(refusal, detail, Map.of());
    }

    /** {@code more} are fields the answer carries beside those of every refusal. */
    public RefusedException(Refusal refusal, @Nullable String detail, Map<String, Object> more) {
        this(refusal, detail, more, Map.of());
    }

    /** {@code headers} are those the answer has beside those of every refusal. */
    public RefusedException(
            Refusal refusal,
            @Nullable String detail,
            Map<String, Object> more,
            Map<String, String> headers) {
        super(refusal + (detail == null ? "" : ": " + detail), null, false, false);
        this.refusal = refusal;
        this.detail = detail;
        this.more = Map.copyOf(more);
        this.headers = Map.copyOf(headers);
    }

    public Refusal refusal() {
        return refusal;
    }

    String message() {
        return detail == null ? refusal.message() : detail;
    }

    Map<String, Object> more() {
        return more;
    }

    public Map<String, String> headers() {
        return headers;
    }
}
