package io.seckill.order.payment;

import io.seckill.common.Counters;
import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.OrderMapper;
import io.seckill.order.booking.Transactions;
import io.seckill.order.payment.PaymentReport.Outcome;

import org.springframework.stereotype.Component;

/**
 * Takes what the gateway says of its charges: a payment once per order, and the refund of one that
 * came too late.
 *
 * <p>What can interleave: the same report again, another of the same order, the sweep. The charge's
 * row is locked first, so reports of an order are taken one after the other, and the second finds
 * what the first wrote; against the sweep the order's status decides, as everywhere. What stays
 * true at every commit: money taken less money given back is the price of the paid orders. A report
 * that is refused changes nothing; one whose answer was lost comes again and is answered the same.
 */
@Component
public final class PaymentReports {

    private final Transactions transactions;
    private final OrderMapper orders;
    private final ChargeMapper charges;
    private final PaymentMapper payments;
    private final ReportSigner signer;
    private final DatabaseClock clock;
    private final Counters counters;

    PaymentReports(
            Transactions transactions,
            OrderMapper orders,
            ChargeMapper charges,
            PaymentMapper payments,
            ReportSigner signer,
            DatabaseClock clock,
            Counters counters) {
        this.transactions = transactions;
        this.orders = orders;
        this.charges = charges;
        this.payments = payments;
        this.signer = signer;
        this.clock = clock;
        this.counters = counters;
    }

    /** What became of the money: it is kept, goes back to the buyer, or was never taken. */
    public enum Settled {
        PAID("seckill_payments_total"),
        REFUNDED("seckill_refunds_total"),
        FAILED("seckill_payments_failed_total");

        private final String counter;

        Settled(String counter) {
            this.counter = counter;
        }
    }

    private record Result(Settled settled, boolean isRepeated) {}

    /**
     * What became of it, now or when it was reported before. Refused: FORBIDDEN, nobody who has a
     * key signed this; PAYMENT_CONFLICT, it fits no charge that was begun, or not its amount, or
     * not what was reported before.
     */
    public Settled take(PaymentReport report) {
        counters.count("seckill_payment_reports_total");
        try {
            Result result = checkedAndSettled(report);
            counters.count(
                    result.isRepeated()
                            ? "seckill_payment_reports_repeated_total"
                            : result.settled().counter);
            return result.settled();
        } catch (RefusedException e) {
            counters.count("seckill_payment_reports_refused_total", e.refusal().name());
            throw e;
        } catch (RuntimeException e) {
            counters.count("seckill_payment_reports_undecided_total");
            throw e;
        }
    }

    private Result checkedAndSettled(PaymentReport report) {
        if (!signer.isSigned(report)) {
            throw new RefusedException(Refusal.FORBIDDEN);
        }
        return transactions.call(() -> {
            ChargeMapper.Row charge = fitting(report);
            return charge.outcome() == null
                    ? new Result(settle(report), false)
                    : new Result(settled(report), true);
        });
    }

    private ChargeMapper.Row fitting(PaymentReport report) {
        ChargeMapper.Row charge = charges.lock(report.orderSn())
                .filter(row -> row.nonce().equals(report.nonce()))
                .orElseThrow(() -> conflict("No such charge is begun"));
        if (charge.amountCents() != report.amountCents()) {
            throw conflict("The amount is not that of the order");
        }
        if (charge.outcome() != null && charge.outcome() != report.outcome()) {
            throw conflict("The charge was reported " + charge.outcome() + " before");
        }
        return charge;
    }

    private Settled settle(PaymentReport report) {
        charges.end(report.orderSn(), report.outcome());
        if (report.outcome() == Outcome.FAILED) {
            return Settled.FAILED;
        }
        long nowMs = clock.millis();
        Payment payment = new Payment(report.orderSn(), report.amountCents(), nowMs);
        payments.insert(payment);
        if (orders.markPaid(report.orderSn(), nowMs)) {
            return Settled.PAID;
        }
        payments.giveBack(payment);
        return Settled.REFUNDED;
    }

    private Settled settled(PaymentReport report) {
        if (report.outcome() == Outcome.FAILED) {
            return Settled.FAILED;
        }
        return payments.wasGivenBack(report.orderSn()) ? Settled.REFUNDED : Settled.PAID;
    }

    private static RefusedException conflict(String why) {
        return new RefusedException(Refusal.PAYMENT_CONFLICT, why);
    }
}
