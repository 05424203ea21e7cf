package io.seckill.contracts;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * The one JSON reader and writer of everything that crosses a hop.
 *
 * <p>Unknown fields are ignored, so that a newer producer does not stop an older consumer; missing
 * numbers are an error, so that a forged body cannot default a quantity or a shard to zero. Nothing
 * is made fit: no text into a number, no number into a text, and no field is there twice.
 */
public final class Json {

    private static final Set<CoercionInputShape> NO_TEXTS = Set.of(
            CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean);
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    texts -> NO_TEXTS.forEach(
                            shape -> texts.setCoercion(shape, CoercionAction.Fail)))
            .build();

    private Json() {}

    public static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Reads a body; throws IllegalArgumentException naming the type when it does not fit. */
    public static <T> T read(String json, Class<T> type) {
        try {
            T value = MAPPER.readValue(json, type);
            if (value == null) {
                throw new IllegalArgumentException("not a " + type.getSimpleName() + ": null");
            }
            return value;
        } catch (JacksonException e) {
            String why = e.getOriginalMessage();
            throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + why, e);
        }
    }

    /** Reads a table of this module, by its name at the root of the class path. */
    static <T> T table(String name, Class<T> type) {
        try (InputStream in = Json.class.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IllegalStateException("contracts: " + name + " is not on the class path");
            }
            return MAPPER.readValue(in, type);
        } catch (IOException e) {
            throw new IllegalStateException("contracts: " + name + " cannot be read", e);
        }
    }
}
