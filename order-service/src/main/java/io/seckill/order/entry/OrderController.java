package io.seckill.order.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Bounds;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.order.payment.Payment;
import io.seckill.order.payment.PaymentService;
import io.seckill.order.query.OrderPage;
import io.seckill.order.query.OrderQuery;
import io.seckill.order.query.OrderView;
import io.seckill.order.query.Place;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A buyer's own orders; the edge says who asks. An order of somebody else does not exist here.
 * Every route also answers UNAUTHENTICATED, and BUSY while the database is away.
 */
@RestController
@RequestMapping("/seckill/orders")
final class OrderController {

    private static final Pattern LIMIT = Pattern.compile("[1-9][0-9]{0,3}");

    private final OrderQuery orders;
    private final PaymentService payments;

    OrderController(OrderQuery orders, PaymentService payments) {
        this.orders = orders;
        this.payments = payments;
    }

    /** The answer to a payment. */
    record Paid(String code, String orderSn, long amountCents, Instant paidAt) {}

    /** 200: the newest, or those before a place, without the rejected; BAD_REQUEST. */
    @GetMapping
    OrderPage own(
            @RequestHeader(value = EdgeHeaders.USER, required = false) String user,
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String before) {
        return orders.page(checked(user), place(before), size(limit));
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

    private static int size(@Nullable String limit) {
        if (limit == null) {
            return Bounds.PAGE_ORDERS;
        }
        if (!LIMIT.matcher(limit).matches() || Integer.parseInt(limit) > Bounds.PAGE_ORDERS) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST, "limit must be from 1 to " + Bounds.PAGE_ORDERS);
        }
        return Integer.parseInt(limit);
    }

    private static Place place(@Nullable String before) {
        return before == null
                ? Place.NEWEST
                : Place.of(before)
                        .orElseThrow(() -> new RefusedException(
                                Refusal.BAD_REQUEST, "before must be the next of an earlier page"));
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
