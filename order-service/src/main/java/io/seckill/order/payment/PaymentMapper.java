package io.seckill.order.payment;

import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code payment}: money taken, once per order by its primary key. */
@Mapper
interface PaymentMapper {

    @Insert("""
            INSERT INTO payment (order_sn, amount_cents, paid_at_ms)
            VALUES (#{orderSn}, #{amountCents}, #{paidAtMs})""")
    void insert(Payment payment);

    @Select("SELECT order_sn, amount_cents, paid_at_ms FROM payment WHERE order_sn = #{orderSn}")
    Optional<Payment> find(String orderSn);
}
