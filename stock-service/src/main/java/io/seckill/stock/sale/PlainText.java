package io.seckill.stock.sale;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Text that says something, without control characters, bounded in bytes of UTF-8. */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = PlainText.Check.class)
@interface PlainText {

    int maxBytes();

    String message() default "must be text of 1 to {maxBytes} bytes without control characters";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Null is left to {@code NotNull}. */
    final class Check implements ConstraintValidator<PlainText, String> {

        private int maxBytes;

        @Override
        public void initialize(PlainText constraint) {
            maxBytes = constraint.maxBytes();
        }

        @Override
        public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
            return text == null || isPlain(text);
        }

        private boolean isPlain(String text) {
            return !text.isBlank()
                    && text.getBytes(StandardCharsets.UTF_8).length <= maxBytes
                    && StandardCharsets.UTF_8.newEncoder().canEncode(text)
                    && text.chars().noneMatch(Character::isISOControl);
        }
    }
}
