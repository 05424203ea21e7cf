package io.seckill.order.payment;

import io.seckill.contracts.Hmac;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.order.payment.PaymentReport.Outcome;

import java.util.List;
import java.util.function.Supplier;

/**
 * Signs reports of payments and tells whether one is signed: lower-case hex HMAC-SHA256 of {@code
 * payment|ORDER|NONCE|CENTS|OUTCOME}. The first key signs, any of them verifies.
 */
final class ReportSigner {

    private final Supplier<List<TokenKeyFile.Key>> keys;

    ReportSigner(Supplier<List<TokenKeyFile.Key>> keys) {
        this.keys = keys;
    }

    PaymentReport sign(Charge charge, Outcome outcome) {
        String text = text(charge.orderSn(), charge.nonce(), charge.amountCents(), outcome);
        return new PaymentReport(
                charge.orderSn(),
                charge.nonce(),
                charge.amountCents(),
                outcome,
                Hmac.of(keys.get().get(0), text));
    }

    /** Takes as long for a wrong signature as for a right one. */
    boolean isSigned(PaymentReport report) {
        String text =
                text(report.orderSn(), report.nonce(), report.amountCents(), report.outcome());
        return keys.get().stream().anyMatch(key -> Hmac.isOf(key, text, report.signature()));
    }

    private static String text(String orderSn, String nonce, long amountCents, Outcome outcome) {
        return "payment|" + orderSn + "|" + nonce + "|" + amountCents + "|" + outcome;
    }
}
