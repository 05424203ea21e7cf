package io.seckill.order.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.order.payment.Payment;
import io.seckill.order.payment.PaymentService;
import io.seckill.order.query.OrderQuery;
import io.seckill.order.query.OrderView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A buyer's own orders; the edge says who asks. An order of somebody else does not exist here.
 * Every route also answers UNAUTHENTICATED, and BUSY while the database is away.
 */
@RestController
@RequestMapping("/seckill/orders")
final class OrderController {

    private final OrderQuery orders;
    private final PaymentService payments;

    OrderController(OrderQuery orders, PaymentService payments) {
        this.orders = orders;
        this.payments = payments;
    }

    /** The answer to a payment. */
    record Paid(String code, String orderSn, long amountCents, Instant paidAt) {}

    /** 200: the newest 100 without the rejected. */
    @GetMapping
    Map<String, List<OrderView>> own(
            @RequestHeader(value = EdgeHeaders.USER, required = false) String user) {
        return Map.of("orders", orders.newest(checked(user)));
    }

    /** 200; NO_SUCH_ORDER. */
    @GetMapping("/{orderSn}")
    OrderView one(
            @RequestHeader(value = EdgeHeaders.USER, required = false) String user,
            @PathVariable String orderSn) {
        return orders.find(shaped(orderSn), checked(user))
                .orElseThrow(() -> new RefusedException(Refusal.NO_SUCH_ORDER));
    }

    /** 200 PAID, also when it was paid before; NO_SUCH_ORDER; ORDER_NOT_PAYABLE with the state. */
    @PostMapping("/{orderSn}/pay")
    Paid pay(
            @RequestHeader(value = EdgeHeaders.USER, required = false) String user,
            @PathVariable String orderSn) {
        Payment payment = payments.pay(shaped(orderSn), checked(user));
        return new Paid(
                "PAID",
                payment.orderSn(),
                payment.amountCents(),
                Instant.ofEpochMilli(payment.paidAtMs()));
    }

    private static String checked(String user) {
        if (!Ids.isUser(user)) {
            throw new RefusedException(Refusal.UNAUTHENTICATED);
        }
        return user;
    }

    private static String shaped(String orderSn) {
        if (!Ids.isOrderSn(orderSn)) {
            throw new RefusedException(Refusal.NO_SUCH_ORDER);
        }
        return orderSn;
    }
}
