package io.seckill.order.payment;

import io.seckill.contracts.Ids;

import java.util.regex.Pattern;

/**
 * How a charge ended, in the words of the gateway. The constructor refuses what no gateway says.
 *
 * @param signature by {@link ReportSigner}, over all the others
 */
public record PaymentReport(
        String orderSn, String nonce, long amountCents, Outcome outcome, String signature) {

    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");

    /** FAILED: no money was taken, nor will be for this charge. */
    public enum Outcome {
        PAID,
        FAILED
    }

    public PaymentReport {
        check(Ids.isOrderSn(orderSn), "orderSn");
        check(nonce != null && NONCE.matcher(nonce).matches(), "nonce");
        check(amountCents >= 0, "amountCents");
        check(outcome != null, "outcome");
        check(signature != null && SIGNATURE.matcher(signature).matches(), "signature");
    }

    private static void check(boolean holds, String field) {
        if (!holds) {
            throw new IllegalArgumentException("bad " + field);
        }
    }
}
