package io.seckill.order.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Json;
import io.seckill.contracts.Refusal;
import io.seckill.order.payment.PaymentReport;
import io.seckill.order.payment.PaymentReports;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the payment gateway reports. The edge has no way here; whoever has one, and no key, is
 * refused.
 */
@RestController
final class PaymentController {

    private static final int MAX_BYTES = 4_096;

    private final PaymentReports reports;

    PaymentController(PaymentReports reports) {
        this.reports = reports;
    }

    /** What became of the money. */
    record Answer(PaymentReports.Settled code, String orderSn) {}

    /**
     * 200 PAID, REFUNDED or FAILED, also when it was reported before; BAD_REQUEST,
     * PAYLOAD_TOO_LARGE, FORBIDDEN, PAYMENT_CONFLICT; BUSY while the database is away.
     */
    @PostMapping("/payments/reports")
    Answer report(InputStream body) throws IOException {
        PaymentReport report = read(body);
        return new Answer(reports.take(report), report.orderSn());
    }

    private static PaymentReport read(InputStream body) throws IOException {
        byte[] json = body.readNBytes(MAX_BYTES + 1);
        if (json.length > MAX_BYTES) {
            throw new RefusedException(Refusal.PAYLOAD_TOO_LARGE);
        }
        try {
            return Json.read(new String(json, StandardCharsets.UTF_8), PaymentReport.class);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(Refusal.BAD_REQUEST, "The body is no report of a payment");
        }
    }
}
