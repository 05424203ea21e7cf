package io.seckill.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Needs more time, or more processes, than {@code ./seckill test} has: {@code ./seckill test --long} runs it. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = LongRun.PROPERTY, matches = "true")
public @interface LongRun {

    String PROPERTY = "seckill.long";
}
