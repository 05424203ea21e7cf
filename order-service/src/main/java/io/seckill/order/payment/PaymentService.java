package io.seckill.order.payment;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.order.booking.Transactions;
import io.seckill.order.closing.ClosingService;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Takes the money of an order once, while it may be paid. */
@Component
public final class PaymentService {

    private final Transactions transactions;
    private final OrderMapper orders;
    private final PaymentMapper payments;
    private final ClosingService closing;
    private final DatabaseClock clock;

    PaymentService(
            Transactions transactions,
            OrderMapper orders,
            PaymentMapper payments,
            ClosingService closing,
            DatabaseClock clock) {
        this.transactions = transactions;
        this.orders = orders;
        this.payments = payments;
        this.closing = closing;
        this.clock = clock;
    }

    /**
     * The payment, made now or before. Refused: NO_SUCH_ORDER; ORDER_NOT_PAYABLE with the order's
     * state. An order that is past its time is closed here and now, so that its state says why.
     */
    public Payment pay(String orderSn, String userId) {
        Order order = orders.find(orderSn, userId)
                .orElseThrow(() -> new RefusedException(Refusal.NO_SUCH_ORDER));
        long nowMs = clock.millis();
        if (!paid(order, nowMs)) {
            closing.close(order, nowMs);
        }
        Optional<Payment> payment = payments.find(orderSn);
        Order.Status state = orders.find(orderSn, userId).orElseThrow().status();
        if (payment.isEmpty() || state != Order.Status.PAID) {
            throw new RefusedException(Refusal.ORDER_NOT_PAYABLE, null, Map.of("state", state));
        }
        return payment.get();
    }

    private boolean paid(Order order, long nowMs) {
        return transactions.call(() -> {
            boolean paid = orders.markPaid(order.orderSn(), order.userId(), nowMs);
            if (paid) {
                long cents = Math.multiplyExact(order.priceCents(), order.quantity());
                payments.insert(new Payment(order.orderSn(), cents, nowMs));
            }
            return paid;
        });
    }
}
