package io.seckill.order.payment;

import io.seckill.contracts.TokenKeyFile;
import io.seckill.order.payment.PaymentReport.Outcome;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs reports of payments and tells whether one is signed: lower-case hex HMAC-SHA256 of {@code
 * payment|ORDER|NONCE|CENTS|OUTCOME}. The first key signs, any of them verifies.
 */
final class ReportSigner {

    private static final String HMAC = "HmacSHA256";

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
                mac(keys.get().get(0), text));
    }

    /** Takes as long for a wrong signature as for a right one. */
    boolean isSigned(PaymentReport report) {
        String text =
                text(report.orderSn(), report.nonce(), report.amountCents(), report.outcome());
        return keys.get().stream().anyMatch(key -> isSame(mac(key, text), report.signature()));
    }

    private static String text(String orderSn, String nonce, long amountCents, Outcome outcome) {
        return "payment|" + orderSn + "|" + nonce + "|" + amountCents + "|" + outcome;
    }

    private static boolean isSame(String ours, String theirs) {
        return MessageDigest.isEqual(
                ours.getBytes(StandardCharsets.US_ASCII),
                theirs.getBytes(StandardCharsets.US_ASCII));
    }

    private static String mac(TokenKeyFile.Key key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            byte[] secret = key.secret().getBytes(StandardCharsets.US_ASCII);
            mac.init(new SecretKeySpec(secret, HMAC));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
