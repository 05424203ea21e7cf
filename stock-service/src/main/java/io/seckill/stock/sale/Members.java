package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The members of a JSON object, each checked when it is read. What does not fit is BAD_REQUEST and
 * names the member; an absent one is null. Nothing is converted: "1" and 1.0 are not whole numbers.
 */
final class Members {

    private static final Instant FIRST = Instant.ofEpochMilli(1);

    /** The edge and its JSON keep times in 14 digits: up to the year 5138. */
    private static final Instant LAST = Instant.ofEpochMilli(99_999_999_999_999L);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final JsonNode object;

    private Members(JsonNode object) {
        this.object = object;
    }

    /** An unknown name is refused: a misspelt price must not become the default price. */
    static Members of(byte[] json, Set<String> names) {
        JsonNode object = tree(json);
        if (!object.isObject()) {
            throw bad("the body must be a JSON object");
        }
        for (String name : object.propertyNames()) {
            if (!names.contains(name)) {
                throw bad("there is no field \"" + shown(name) + "\"; fields are " + names);
            }
        }
        return new Members(object);
    }

    /** Bounds included. */
    Long whole(String name, long min, long max) {
        JsonNode value = object.get(name);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < min
                || value.longValue() > max) {
            throw bad(name + " must be a whole number from " + min + " to " + max);
        }
        return value.longValue();
    }

    String text(String name, Predicate<String> fits, String what) {
        JsonNode value = object.get(name);
        if (value == null) {
            return null;
        }
        if (!value.isString() || !fits.test(value.stringValue())) {
            throw bad(name + " must be " + what);
        }
        return value.stringValue();
    }

    /** With offset, because a time without one is the machine's and nobody's. */
    Long timeMs(String name) {
        String text = text(
                name, Members::isTime, "an ISO-8601 time with offset, like 2026-11-11T00:00:00Z");
        if (text == null) {
            return null;
        }
        Instant time = OffsetDateTime.parse(text).toInstant();
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw bad(name + " must be from " + FIRST + " to " + LAST);
        }
        return time.toEpochMilli();
    }

    static <T> T required(String name, T value) {
        if (value == null) {
            throw bad(name + " is missing");
        }
        return value;
    }

    static RefusedException bad(String detail) {
        return new RefusedException(Refusal.BAD_REQUEST, detail);
    }

    private static boolean isTime(String text) {
        try {
            OffsetDateTime.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static JsonNode tree(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw bad("the body is not JSON: " + e.getOriginalMessage());
        }
    }

    /** At most the start of a name from outside, so that an answer stays small. */
    private static String shown(String name) {
        return name.substring(0, Math.min(name.length(), 32));
    }
}
