package io.seckill.stock.sale;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * An ISO-8601 time with offset, for one without is the machine's and nobody's. The edge and its
 * JSON keep times in 14 digits of milliseconds: from 1970 to the year 5138.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = IsoTime.Check.class)
@interface IsoTime {

    String FIRST = "1970-01-01T00:00:00.001Z";
    String LAST = "5138-11-16T09:46:39.999Z";

    String message() default
            "must be an ISO-8601 time with offset, like 2026-11-11T00:00:00Z, from " + FIRST
                    + " to " + LAST;

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Null is left to {@code NotNull}. */
    final class Check implements ConstraintValidator<IsoTime, String> {

        private static final Instant EARLIEST = Instant.parse(FIRST);
        private static final Instant LATEST = Instant.parse(LAST);

        @Override
        public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
            try {
                Instant time =
                        text == null ? EARLIEST : OffsetDateTime.parse(text).toInstant();
                return !time.isBefore(EARLIEST) && !time.isAfter(LATEST);
            } catch (DateTimeException e) {
                return false;
            }
        }
    }
}
