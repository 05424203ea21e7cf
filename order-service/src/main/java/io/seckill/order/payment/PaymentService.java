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
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Has the gateway take the money of an order, while it may be paid.
 *
 * <p>An order has one charge at most that the gateway has not answered, so buyers who ask twice,
 * and instances asked at once, ask it for the same one. {@link PaymentReports} writes what it
 * answers.
 */
@Component
public final class PaymentService {

    private final Transactions transactions;
    private final OrderMapper orders;
    private final ChargeMapper charges;
    private final PaymentMapper payments;
    private final PaymentGateway gateway;
    private final ClosingService closing;
    private final DatabaseClock clock;

    PaymentService(
            Transactions transactions,
            OrderMapper orders,
            ChargeMapper charges,
            PaymentMapper payments,
            PaymentGateway gateway,
            ClosingService closing,
            DatabaseClock clock) {
        this.transactions = transactions;
        this.orders = orders;
        this.charges = charges;
        this.payments = payments;
        this.gateway = gateway;
        this.closing = closing;
        this.clock = clock;
    }

    /**
     * The payment, made now or before. Refused: NO_SUCH_ORDER; ORDER_NOT_PAYABLE with the order's
     * state; BUSY, the gateway has not answered yet. An order that is past its time is closed here
     * and now, so that its state says why; one whose payment failed stays UNPAID and may be tried
     * again. Only that closing waits for the ledger: who has paid and asks again queues up nowhere.
     */
    public Payment pay(String orderSn, String userId) {
        Order order = orders.find(orderSn, userId)
                .orElseThrow(() -> new RefusedException(Refusal.NO_SUCH_ORDER));
        long nowMs = clock.millis();
        Optional<Charge> charge = begin(order, nowMs);
        if (charge.isPresent()) {
            gateway.charge(charge.get());
        } else if (order.status() == Order.Status.UNPAID) {
            closing.close(order, nowMs);
        }
        Order.Status state = orders.find(orderSn, userId).orElseThrow().status();
        if (state == Order.Status.PAID) {
            return payments.find(orderSn).orElseThrow();
        }
        if (state == Order.Status.UNPAID && charges.isOpen(orderSn)) {
            throw new RefusedException(Refusal.BUSY);
        }
        throw new RefusedException(Refusal.ORDER_NOT_PAYABLE, null, Map.of("state", state));
    }

    /** The charge that is open, begun now or before; empty: the order may not be paid. */
    private Optional<Charge> begin(Order order, long nowMs) {
        String nonce = UUID.randomUUID().toString().replace("-", "");
        return transactions.call(() -> {
            charges.begin(order.orderSn(), order.userId(), nonce, nowMs);
            return charges.open(order.orderSn(), order.userId(), nowMs);
        });
    }
}
