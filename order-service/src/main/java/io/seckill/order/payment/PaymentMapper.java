package io.seckill.order.payment;

import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/**
 * The tables {@code payment} and {@code refund}: money taken and given back, each once per order by
 * its primary key.
 */
@Mapper
interface PaymentMapper {

    @Insert("""
            INSERT INTO payment (order_sn, amount_cents, paid_at_ms)
            VALUES (#{orderSn}, #{amountCents}, #{paidAtMs})""")
    void insert(Payment payment);

    /** All of it. */
    @Insert("""
            INSERT INTO refund (order_sn, amount_cents, refunded_at_ms)
            VALUES (#{orderSn}, #{amountCents}, #{paidAtMs})""")
    void giveBack(Payment payment);

    /** Also one that was given back. */
    @Select("SELECT order_sn, amount_cents, paid_at_ms FROM payment WHERE order_sn = #{orderSn}")
    Optional<Payment> find(String orderSn);

    @Select("SELECT COUNT(*) FROM refund WHERE order_sn = #{orderSn}")
    boolean wasGivenBack(String orderSn);
}
