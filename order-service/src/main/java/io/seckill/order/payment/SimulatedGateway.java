package io.seckill.order.payment;

import io.seckill.order.payment.PaymentReport.Outcome;

/**
 * Takes no money and says at once that it did, signed as a real gateway would. In this process:
 * over HTTP each payment would hold two of the service's threads, and as many at once as there are
 * threads would wait for each other.
 */
final class SimulatedGateway implements PaymentGateway {

    private final PaymentReports reports;
    private final ReportSigner signer;

    SimulatedGateway(PaymentReports reports, ReportSigner signer) {
        this.reports = reports;
        this.signer = signer;
    }

    @Override
    public void charge(Charge charge) {
        reports.take(signer.sign(charge, Outcome.PAID));
    }
}
