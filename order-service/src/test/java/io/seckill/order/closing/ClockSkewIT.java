package io.seckill.order.closing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.order.RealService;
import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.Transactions;
import io.seckill.order.payment.PaymentService;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContext;

/** Instances on one database, on hosts whose clocks are 3 s before and behind its own. */
class ClockSkewIT extends RealService {

    private static final int SOON_MS = 2_500;
    private static final int ORDERS = 20;

    @Autowired
    ApplicationContext service;

    @Autowired
    DatabaseClock databaseClock;

    @Autowired
    Transactions transactions;

    /** Whatever of these asks for a clock of its host gets the wrong one. */
    private record Instance(UnpaidSweep sweep, ClosingService closing, PaymentService payments) {}

    private Instance onHost(long skewMs) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory(service);
        Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofMillis(skewMs));
        beans.registerSingleton("clock", wrong);
        assertThat(beans.getBean(Clock.class)).isSameAs(wrong);
        ClosingService closing = make(beans, ClosingService.class);
        beans.registerSingleton("closingService", closing);
        return new Instance(
                make(beans, UnpaidSweep.class), closing, make(beans, PaymentService.class));
    }

    private static <T> T make(DefaultListableBeanFactory beans, Class<T> type) {
        Object made = beans.autowire(type, AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR, false);
        return type.cast(made);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_000, 3_000})
    void order_in_time_by_the_database_is_closed_by_no_instance_and_paid_by_each(long skewMs) {
        String product = sale(ORDERS);
        Instance instance = onHost(skewMs);

        for (int n = 0; n < ORDERS; n++) {
            Order order = order(product, "user-" + n);
            payBy(order, databaseClock.millis() + SOON_MS);
            instance.sweep().sweep();
            assertThat(instance.closing().close(order, databaseClock.millis())).isFalse();
            assertThat(instance.payments().pay(order.orderSn(), order.userId())).isNotNull();
        }

        assertThat(count(product, "PAID")).isEqualTo(ORDERS);
        assertBooksBalance(product);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_000, 3_000})
    void order_past_its_time_by_the_database_is_paid_by_no_instance(long skewMs) {
        String product = sale(ORDERS);
        Instance instance = onHost(skewMs);

        for (int n = 0; n < ORDERS; n++) {
            Order order = order(product, "user-" + n);
            payBy(order, databaseClock.millis());
            assertThatExceptionOfType(RefusedException.class)
                    .isThrownBy(() -> instance.payments().pay(order.orderSn(), order.userId()))
                    .matches(e -> e.refusal() == Refusal.ORDER_NOT_PAYABLE);
        }

        assertThat(count(product, "CANCELLED")).isEqualTo(ORDERS);
        assertBooksBalance(product);
    }

    @Test
    void order_is_paid_and_closed_at_times_of_the_database() {
        String product = sale(2);
        Order paid = order(product, "alice");
        Order closed = order(product, "bob");
        payBy(closed, databaseClock.millis());
        Instance behind = onHost(-3_000);

        long beforeMs = databaseClock.millis();
        behind.payments().pay(paid.orderSn(), "alice");
        behind.sweep().sweep();
        long afterMs = databaseClock.millis();

        assertThat(time("SELECT paid_at_ms FROM payment WHERE order_sn = ?", paid))
                .isBetween(beforeMs, afterMs);
        assertThat(time("SELECT closed_at_ms FROM orders WHERE order_sn = ?", closed))
                .isLessThanOrEqualTo(afterMs)
                .isGreaterThanOrEqualTo(
                        time("SELECT pay_by_ms FROM orders WHERE order_sn = ?", closed));
    }

    @Test
    void time_of_the_database_is_of_utc_in_whatever_zone_its_session_is() {
        long nowMs = System.currentTimeMillis();

        long toldMs = transactions.call(() -> {
            sql.execute("SET SESSION time_zone = '+09:00'");
            long ms = databaseClock.millis();
            sql.execute("SET SESSION time_zone = DEFAULT");
            return ms;
        });

        assertThat(toldMs).isBetween(nowMs - 1_000, nowMs + 10_000);
    }

    private void payBy(Order order, long ms) {
        sql.update("UPDATE orders SET pay_by_ms = ? WHERE order_sn = ?", ms, order.orderSn());
    }

    private long time(String query, Order order) {
        return sql.queryForObject(query, Long.class, order.orderSn());
    }
}
