package io.seckill.contracts;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A refusal as a client may see it, whichever hop it comes from. */
public final class RefusalAnswer {

    private static final String CONTENT_TYPE = "application/problem+json";

    private record Body(
            String type,
            String title,
            int status,
            String detail,
            String code,
            String message,
            long retryAfterMs) {}

    private RefusalAnswer() {}

    /**
     * The word of an answer; throws IllegalArgumentException naming the part that breaks README.md.
     *
     * @param headers by name, in any case
     */
    public static Refusal read(int status, Map<String, String> headers, String json) {
        Map<String, String> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        sent.putAll(headers);
        Check.that(CONTENT_TYPE.equals(sent.get("Content-Type")), "Content-Type", sent);
        sent.keySet().forEach(name -> Check.that(!isInternal(name), name, "is internal"));
        Body body = Json.read(json, Body.class);
        Refusal refusal = refusal(body.code());
        Check.that(status == refusal.status(), "status", status);
        Check.that(body.message() != null && !body.message().isBlank(), "message", body.message());
        checkProblem(body, refusal);
        Check.that(isWait(refusal, body.retryAfterMs()), "retryAfterMs", body.retryAfterMs());
        String wait = sent.get("Retry-After");
        Check.that(Objects.equals(wait, seconds(body.retryAfterMs())), "Retry-After", wait);
        return refusal;
    }

    /** As a problem detail (RFC 9457). */
    private static void checkProblem(Body body, Refusal refusal) {
        Map<String, Object> problem = refusal.problem(body.message());
        Check.that(Objects.equals(problem.get("type"), body.type()), "type", body.type());
        Check.that(Objects.equals(problem.get("title"), body.title()), "title", body.title());
        Check.that(Objects.equals(problem.get("status"), body.status()), "status", body.status());
        Check.that(Objects.equals(problem.get("detail"), body.detail()), "detail", body.detail());
    }

    private static boolean isInternal(String header) {
        return header.toLowerCase(Locale.ROOT).startsWith("x-seckill-");
    }

    private static Refusal refusal(String code) {
        return Arrays.stream(Refusal.values())
                .filter(refusal -> refusal.name().equals(code))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("bad code: " + code));
    }

    /** The table's wait and up to half of it more; until a sale starts, whatever is left. */
    private static boolean isWait(Refusal refusal, long ms) {
        long least = refusal.retryAfterMs();
        return refusal == Refusal.NOT_STARTED ? ms > 0 : ms >= least && ms <= least + least / 2;
    }

    private static @Nullable String seconds(long ms) {
        return ms == 0 ? null : Long.toString((ms + 999) / 1000);
    }
}
