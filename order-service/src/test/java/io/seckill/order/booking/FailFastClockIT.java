package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.seckill.contracts.Limits;
import io.seckill.order.RealService;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContext;

/** Who is late is the same on hosts whose clocks are 3 s before and behind the others'. */
class FailFastClockIT extends RealService {

    private static final int MANY = 100_000_000; // too many for any limit

    @Autowired
    ApplicationContext service;

    @ParameterizedTest
    @ValueSource(longs = {-3_000, 0, 3_000})
    void instance_on_a_host_with_a_wrong_clock_calls_the_same_reservations_late(long skewMs) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory(service);
        beans.registerSingleton(
                "clock", Clock.offset(Clock.systemUTC(), Duration.ofMillis(skewMs)));
        FailFast skewed = (FailFast) beans.autowire(
                FailFast.class, AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR, false);

        skewed.look();
        skewed.learn(MANY);
        skewed.learn(MANY);

        assertThat(skewed.lateBeforeMs())
                .isCloseTo(
                        System.currentTimeMillis()
                                - Limits.initial(Limits.ORDER_BACKLOG_MAX_AGE_MS),
                        within(1_000L));
    }
}
