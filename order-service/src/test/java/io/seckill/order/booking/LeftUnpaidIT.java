package io.seckill.order.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.order.closing.ClosingService;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;

/** Buyers who take units and never pay, over and over. */
class LeftUnpaidIT extends RealService {

    private static final int ALLOWED = 3;

    @Autowired
    ClosingService closing;

    @Autowired
    OrderLimits limits;

    /** Limits that nobody lost, so that one that is missing is the default. */
    @BeforeEach
    void limitsAreKept() {
        try (Jedis redis = REDIS.connect()) {
            redis.set(RedisKeys.LIMITS_KEPT, "1");
        }
    }

    @AfterEach
    void usualLimit() {
        try (Jedis redis = REDIS.connect()) {
            redis.hdel(RedisKeys.LIMITS, Limits.ORDER_UNPAID_COUNT);
            awaitLimit(Limits.initial(Limits.ORDER_UNPAID_COUNT));
            redis.del(RedisKeys.LIMITS_KEPT);
        }
    }

    @Test
    void who_let_orders_expire_is_read_from_an_index_alone_however_many_did() {
        String product = sale(600);
        handler.handle(reservations(product, 500, 0));
        sql.update(
                "UPDATE orders SET status = 'CANCELLED', reason = 'PAY_TIMEOUT', final_epoch = 1"
                        + " WHERE product_id = ?",
                product);

        assertThat(sql.queryForList(
                        "EXPLAIN " + OrderBatch.BUYERS + " ('user-1', 'user-2')", "PAY_TIMEOUT"))
                .singleElement()
                .satisfies(plan -> assertThat(plan)
                        .containsEntry("key", "by_end")
                        .containsEntry("type", "range"))
                .satisfies(plan -> assertThat((String) plan.get("Extra")).endsWith("Using index"));
        sql.update("DELETE FROM orders WHERE product_id = ?", product);
    }

    @Test
    void buyer_who_let_three_orders_of_a_sale_expire_gets_no_fourth_and_is_told_why() {
        String product = sale(5);
        letExpire(product, "alice", ALLOWED);
        Reservation fourth = reservation(product, "alice", 0);
        Metrics before = metrics();

        handler.handle(List.of(fourth));
        handler.handle(List.of(fourth));

        assertThat(count(product, "REJECTED")).isEqualTo(1);
        assertThat(sold(product)).isZero();
        assertThat(rejected(metrics()) - rejected(before)).isEqualTo(1);
        assertThat(metrics().objections()).isEmpty();
        assertBooksBalance(product);
        assertThat(RETURNS.of(fourth.reservationId()))
                .extracting(StockReturn::action, StockReturn::cause)
                .containsExactly(tuple(StockReturn.Action.RETURN, "LEFT_UNPAID"));
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(fourth.reservationId()))
                        .extracting(OrderEvent::status, OrderEvent::reason)
                        .containsExactly(tuple(OrderEvent.Status.REJECTED, "LEFT_UNPAID")));
    }

    @Test
    void others_and_the_same_buyer_elsewhere_and_one_who_left_fewer_buy_on() {
        String product = sale(10);
        letExpire(product, "alice", ALLOWED);
        letExpire(product, "bob", ALLOWED - 1);
        sql.update(
                "UPDATE orders SET status = 'PAID' WHERE order_sn = ?",
                order(product, "paul").orderSn());

        handler.handle(List.of(
                reservation(product, "alice", 0),
                reservation(product, "bob", 0),
                reservation(product, "carol", 0)));
        order(sale(1), "alice");

        assertThat(sql.queryForList(
                        "SELECT user_id FROM orders WHERE product_id = ? AND status = 'UNPAID'",
                        String.class,
                        product))
                .containsExactlyInAnyOrder("bob", "carol");
        assertBooksBalance(product);
    }

    @Test
    void orders_that_were_rejected_count_for_nothing() {
        String product = sale(5);
        order(product, "alice");
        for (int n = 0; n < 2 * ALLOWED; n++) {
            handler.handle(List.of(reservation(product, "alice", 0)));
        }
        assertThat(count(product, "REJECTED")).isEqualTo(2 * ALLOWED);
        sql.update(
                "UPDATE orders SET status = 'CANCELLED', reason = 'PAY_TIMEOUT', final_epoch = 1"
                        + " WHERE product_id = ? AND status = 'UNPAID'",
                product);
        sql.update("UPDATE shard_ledger SET sold = 0 WHERE product_id = ?", product);

        order(product, "alice");

        assertThat(count(product, "UNPAID")).isEqualTo(1);
    }

    @Test
    void operator_may_allow_more_while_it_runs() {
        String product = sale(5);
        letExpire(product, "alice", ALLOWED);
        try (Jedis redis = REDIS.connect()) {
            redis.hset(RedisKeys.LIMITS, Limits.ORDER_UNPAID_COUNT, "4");
        }
        awaitLimit(4);

        order(product, "alice");

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertBooksBalance(product);
    }

    /** Many who may not, among more who may: nobody pays for his neighbour. */
    @Test
    void of_a_large_batch_only_who_left_too_many_is_rejected() {
        setLimit("100000");
        String product = sale(300);
        List<Reservation> batch = new ArrayList<>(reservations(product, 250, 0));
        letExpire(product, "user-7", ALLOWED);
        letExpire(product, "user-249", ALLOWED);

        handler.handle(batch);
        setLimit("500");

        assertThat(sql.queryForList(
                        "SELECT user_id FROM orders WHERE product_id = ? AND status = 'REJECTED'",
                        String.class,
                        product))
                .containsExactlyInAnyOrder("user-7", "user-249");
        assertThat(count(product, "UNPAID")).isEqualTo(248);
        assertBooksBalance(product);
    }

    private void letExpire(String product, String user, int times) {
        for (int n = 0; n < times; n++) {
            Order order = order(product, user);
            assertThat(closing.close(order, order.payByMs())).isTrue();
        }
    }

    private void awaitLimit(long value) {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> limits.of(Limits.ORDER_UNPAID_COUNT) == value);
    }

    private static long rejected(Metrics at) {
        return at.sum("seckill_rejected_total");
    }
}
