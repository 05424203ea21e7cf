package io.seckill.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;

import io.seckill.common.CommonAutoConfiguration;
import io.seckill.common.RefusedException;
import io.seckill.testkit.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RateLimitAspectIT {

    private static final RedisProcess REDIS = new RedisProcess();

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withPropertyValues(
                    "spring.application.name=flash-sale-service",
                    "seckill.control-redis=" + REDIS.uri())
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class,
                    CommonAutoConfiguration.class,
                    RateLimitAutoConfiguration.class));

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    static class Calls {

        private int count;

        @SeckillRateLimit(key = "one", permitsPerSecond = 1, maxBurstSeconds = 0)
        int one() {
            return ++count;
        }

        @SeckillRateLimit(
                key = "of:#{#user}",
                permitsPerSecond = 1,
                maxBurstSeconds = 0,
                maxWaitSecond = 1)
        int of(String user) {
            return ++count;
        }

        int free() {
            return count;
        }
    }

    @Test
    void method_runs_with_a_permit_or_not_at_all() {
        service.withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            assertThat(calls.one()).isEqualTo(1);
            assertThatThrownBy(calls::one)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("TOO_MANY_REQUESTS");
            assertThat(calls.free()).isEqualTo(1);
        });
    }

    @Test
    void refusal_tells_the_policy_and_when_it_has_permits_again() {
        service.withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            RefusedException refused = catchThrowableOfType(RefusedException.class, () -> {
                calls.one();
                calls.one();
            });
            assertThat(refused.headers())
                    .containsOnly(
                            entry("RateLimit", "\"one\";r=0;t=1"),
                            entry("RateLimit-Policy", "\"one\";q=1;w=1"));
        });
    }

    @Test
    void each_value_of_a_parameter_has_a_bucket_and_a_call_may_wait_its_turn() {
        service.withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            calls.of("alice");
            calls.of("bob");
            long startNs = System.nanoTime();
            assertThat(calls.of("alice")).isEqualTo(3);
            assertThat((System.nanoTime() - startNs) / 1e6).isBetween(700.0, 1_500.0);
            calls.of("carol");
            assertThatThrownBy(() -> calls.of("x".repeat(300)))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("BAD_REQUEST");
        });
    }

    static class NoRate {
        @SeckillRateLimit(key = "none", permitsPerSecond = 0)
        void call() {}
    }

    static class NoEnd {
        @SeckillRateLimit(key = "of:#{#user", permitsPerSecond = 1)
        void call() {}
    }

    static class Sealed {
        @SeckillRateLimit(key = "sealed", permitsPerSecond = 1)
        final void call() {}
    }

    @Test
    void wrong_annotation_stops_the_start_and_names_the_method() {
        service.withBean(NoRate.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("permitsPerSecond")
                        .hasMessageContaining("NoRate.call"));
        service.withBean(NoEnd.class).run(context -> assertThat(context).hasFailed());
        service.withBean(Sealed.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Sealed.call"));
    }
}
