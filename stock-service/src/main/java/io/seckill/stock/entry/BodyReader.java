package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import jakarta.validation.MessageInterpolator;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.metadata.ConstraintDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the body of an operator's request into a flat record: strict JSON, then the constraints of
 * the record. An absent field is null.
 *
 * <p>Nothing is converted: "5", 1.0 and null are no whole numbers. An unknown field is refused, for
 * a misspelt price must not become the default price. BAD_REQUEST names each field that does not
 * fit and says what it must be, in the same words whether its type or its value is wrong.
 */
@Component
final class BodyReader {

    private static final int MAX_BYTES = 16_384;
    private static final int MAX_NAME_SHOWN = 32; // characters, so that an answer stays small

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfigDefaults(config -> {
                for (CoercionInputShape shape : CoercionInputShape.values()) {
                    config.setCoercion(shape, CoercionAction.Fail);
                }
            })
            .build();

    private final Validator validator;
    private final MessageInterpolator interpolator;

    BodyReader(ValidatorFactory validation) {
        validator = validation.getValidator();
        interpolator = validation.getMessageInterpolator();
    }

    /** BAD_REQUEST, PAYLOAD_TOO_LARGE. Reads no more of a body than it would accept. */
    <T> T read(InputStream body, Class<T> type) throws IOException {
        byte[] json = body.readNBytes(MAX_BYTES + 1);
        if (json.length > MAX_BYTES) {
            throw new RefusedException(Refusal.PAYLOAD_TOO_LARGE);
        }
        T value = bind(object(json), type);
        String wrong = validator.validate(value).stream()
                .map(violation -> violation.getPropertyPath() + " " + violation.getMessage())
                .sorted()
                .collect(Collectors.joining("; "));
        if (!wrong.isEmpty()) {
            throw bad(wrong);
        }
        return value;
    }

    private static JsonNode object(byte[] json) {
        try {
            JsonNode node = MAPPER.readTree(json);
            if (!node.isObject()) {
                throw bad("the body must be a JSON object");
            }
            return node;
        } catch (JacksonException e) {
            throw bad("the body is not JSON: " + e.getOriginalMessage());
        }
    }

    private <T> T bind(JsonNode object, Class<T> type) {
        try {
            T value = MAPPER.treeToValue(object, type);
            for (String field : object.propertyNames()) {
                if (object.get(field).isNull()) {
                    throw bad(field + " " + rule(type, field));
                }
            }
            return value;
        } catch (UnrecognizedPropertyException e) {
            String name = e.getPropertyName();
            String shown = name.substring(0, Math.min(name.length(), MAX_NAME_SHOWN));
            throw bad("there is no field \"" + shown + "\"; fields are " + e.getKnownPropertyIds());
        } catch (JacksonException e) {
            String field = e.getPath().get(0).getPropertyName();
            throw bad(field + " " + rule(type, field));
        }
    }

    /** What the field must be: the message of its constraint, which only a flag does without. */
    private String rule(Class<?> type, String field) {
        return Optional.ofNullable(
                        validator.getConstraintsForClass(type).getConstraintsForProperty(field))
                .flatMap(property -> property.getConstraintDescriptors().stream()
                        .filter(any -> !(any.getAnnotation() instanceof NotNull))
                        .findFirst())
                .map(rule -> interpolator.interpolate(rule.getMessageTemplate(), new Unseen(rule)))
                .orElse("must be true or false");
    }

    /** The message of a constraint that never saw the value, for it has another type. */
    private record Unseen(ConstraintDescriptor<?> constraint)
            implements MessageInterpolator.Context {

        @Override
        public ConstraintDescriptor<?> getConstraintDescriptor() {
            return constraint;
        }

        @Override
        public @Nullable Object getValidatedValue() {
            return null;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return type.cast(this);
        }
    }

    private static RefusedException bad(String detail) {
        return new RefusedException(Refusal.BAD_REQUEST, detail);
    }
}
