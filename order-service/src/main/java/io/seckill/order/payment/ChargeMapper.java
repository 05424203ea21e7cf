package io.seckill.order.payment;

import io.seckill.order.payment.PaymentReport.Outcome;
import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.jspecify.annotations.Nullable;

/** The table {@code charge}: what the gateway was asked for, one row per order. */
@Mapper
interface ChargeMapper {

    String PAYABLE = """
            o.order_sn = #{orderSn} AND o.user_id = #{userId} AND o.status = 'UNPAID'
                AND o.pay_by_ms > #{nowMs}""";

    /**
     * Begins a charge of the order's sum where the order may be paid and none is open: the first,
     * or one in the place of one that failed. Else nothing changes. (The assignments are made in
     * their order: the outcome last, for the others ask it.)
     */
    @Insert("""
            INSERT INTO charge (order_sn, nonce, amount_cents, begun_at_ms)
            SELECT o.order_sn, #{nonce}, o.price_cents * o.quantity, #{nowMs} FROM orders o
            WHERE\s""" + PAYABLE + """
            \s
            ON DUPLICATE KEY UPDATE
                nonce = IF(outcome = 'FAILED', VALUES(nonce), nonce),
                begun_at_ms = IF(outcome = 'FAILED', VALUES(begun_at_ms), begun_at_ms),
                outcome = NULLIF(outcome, 'FAILED')""")
    void begin(String orderSn, String userId, String nonce, long nowMs);

    /** The charge to ask the gateway for; empty: the order may not be paid. */
    @Select("""
            SELECT c.order_sn, c.nonce, c.amount_cents
            FROM orders o JOIN charge c ON c.order_sn = o.order_sn
            WHERE c.outcome IS NULL AND\s""" + PAYABLE)
    Optional<Charge> open(String orderSn, String userId, long nowMs);

    /** The row, and how it ended; null: it has not. */
    record Row(
            String orderSn,
            String nonce,
            long amountCents,
            @Nullable Outcome outcome) {}

    /** Locked until the transaction ends: of two reports the second sees what the first did. */
    @Select("""
            SELECT order_sn, nonce, amount_cents, outcome FROM charge
            WHERE order_sn = #{orderSn} FOR UPDATE""")
    Optional<Row> lock(String orderSn);

    @Select("SELECT COUNT(*) FROM charge WHERE order_sn = #{orderSn} AND outcome IS NULL")
    boolean isOpen(String orderSn);

    @Update("UPDATE charge SET outcome = #{outcome} WHERE order_sn = #{orderSn}")
    void end(String orderSn, Outcome outcome);
}
