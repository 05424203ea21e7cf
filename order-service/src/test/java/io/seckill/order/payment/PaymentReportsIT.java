package io.seckill.order.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Json;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.Order;
import io.seckill.order.closing.ClosingService;
import io.seckill.order.payment.PaymentReport.Outcome;
import io.seckill.testkit.Metrics;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** What a gateway says over HTTP of charges that it was asked for. */
class PaymentReportsIT extends RealService {

    private static final String NONCE = "0123456789abcdef".repeat(2);
    private static final String OTHER = "f".repeat(32);

    private final ReportSigner gateway =
            new ReportSigner(() -> List.of(new TokenKeyFile.Key("k1", PAYMENT_SECRET)));
    private final ReportSigner forger =
            new ReportSigner(() -> List.of(new TokenKeyFile.Key("k1", "x".repeat(32))));

    @Autowired
    ChargeMapper charges;

    @Autowired
    PaymentMapper payments;

    @Autowired
    ClosingService closing;

    @Autowired
    DatabaseClock clock;

    @AfterEach
    void everyReportEndedInExactlyOneCounter() {
        assertThat(metrics().objections()).isEmpty();
    }

    @Test
    void payment_that_is_reported_makes_its_order_paid_once_however_often_it_comes()
            throws Exception {
        String product = sale(5);
        Order order = order(product, "alice");
        PaymentReport paid = gateway.sign(begun(order), Outcome.PAID);
        Metrics before = metrics();

        atOnce(Collections.nCopies(8, () -> {
            assertTold(report(paid), "PAID", order);
            return true;
        }));
        assertTold(report(paid), "PAID", order);

        assertThat(grown(before, "seckill_payments_total")).isEqualTo(1);
        assertThat(grown(before, "seckill_payment_reports_repeated_total")).isEqualTo(8);
        assertThat(count(product, "PAID")).isEqualTo(1);
        assertThat(payments.find(order.orderSn()).orElseThrow().amountCents()).isEqualTo(PRICE);
        assertMoneyBalances(product);
        assertBooksBalance(product);
    }

    @Test
    void report_that_nobody_with_a_key_signed_is_forbidden_and_changes_nothing() {
        String product = sale(5);
        Order order = order(product, "alice");
        Charge charge = begun(order);
        PaymentReport failed = gateway.sign(charge, Outcome.FAILED);
        Charge cheaper = new Charge(order.orderSn(), NONCE, 1);
        Order foreign = order(product, "bob");
        begun(foreign);

        for (PaymentReport forged : List.of(
                forger.sign(charge, Outcome.PAID),
                with(failed.signature(), gateway.sign(charge, Outcome.PAID)),
                with(gateway.sign(cheaper, Outcome.PAID).signature(), paid(charge)),
                with(paid(charge).signature(), paid(new Charge(order.orderSn(), OTHER, PRICE))),
                with(
                        paid(charge).signature(),
                        paid(new Charge(foreign.orderSn(), NONCE, PRICE))))) {
            report(forged).assertRefused(403, "FORBIDDEN");
        }

        assertThat(count(product, "UNPAID")).isEqualTo(2);
        assertNoMoney(order);
        assertNoMoney(foreign);
    }

    @Test
    void report_of_another_amount_is_refused_and_the_right_one_is_still_taken() {
        String product = sale(5);
        Order order = order(product, "alice");
        Charge charge = begun(order);

        for (long cents : new long[] {0, 1, PRICE - 1, PRICE + 1, Long.MAX_VALUE}) {
            report(paid(new Charge(order.orderSn(), NONCE, cents)))
                    .assertRefused(409, "PAYMENT_CONFLICT");
            assertNoMoney(order);
        }

        assertTold(report(paid(charge)), "PAID", order);
        assertMoneyBalances(product);
    }

    @ParameterizedTest
    @CsvSource({"PAID, FAILED", "FAILED, PAID"})
    void charge_has_the_outcome_that_was_reported_first(Outcome first, Outcome second) {
        String product = sale(5);
        Order order = order(product, "alice");
        Charge charge = begun(order);
        assertTold(report(gateway.sign(charge, first)), first.name(), order);

        report(gateway.sign(charge, second)).assertRefused(409, "PAYMENT_CONFLICT");

        assertTold(report(gateway.sign(charge, first)), first.name(), order);
        assertThat(count(product, first == Outcome.PAID ? "PAID" : "UNPAID")).isEqualTo(1);
        assertMoneyBalances(product);
    }

    @Test
    void report_that_comes_before_its_charge_or_after_another_took_its_place_is_refused() {
        String product = sale(5);
        Order order = order(product, "alice");
        Charge first = new Charge(order.orderSn(), NONCE, PRICE);
        report(paid(first)).assertRefused(409, "PAYMENT_CONFLICT");
        report(paid(new Charge("9".repeat(24), NONCE, PRICE)))
                .assertRefused(409, "PAYMENT_CONFLICT");

        begun(order);
        assertTold(report(gateway.sign(first, Outcome.FAILED)), "FAILED", order);
        charges.begin(order.orderSn(), "alice", OTHER, clock.millis());
        report(paid(first)).assertRefused(409, "PAYMENT_CONFLICT");

        assertNoMoney(order);
        assertTold(report(paid(new Charge(order.orderSn(), OTHER, PRICE))), "PAID", order);
        assertMoneyBalances(product);
    }

    @Test
    void payment_that_comes_after_the_order_was_closed_goes_back_and_the_unit_stays_back() {
        String product = sale(5);
        Order order = order(product, "alice");
        Charge charge = begun(order);
        assertThat(closing.close(order, order.payByMs())).isTrue();

        assertTold(report(paid(charge)), "REFUNDED", order);
        assertTold(report(paid(charge)), "REFUNDED", order);

        assertThat(count(product, "CANCELLED")).isEqualTo(1);
        assertThat(sold(product)).isZero();
        assertMoneyBalances(product);
        assertBooksBalance(product);
        Map<String, Object> shown = Answer.to(
                        "GET", port, "/seckill/orders/" + order.orderSn(), "alice")
                .body();
        assertThat(shown).containsEntry("status", "CANCELLED").containsKeys("paidAt", "refundedAt");
    }

    /** Nobody has closed it yet: the time decides, not the sweep. */
    @Test
    void payment_that_comes_after_its_time_goes_back_also_where_no_sweep_was_faster() {
        String product = sale(5);
        for (int n = 0; n < 10; n++) {
            Order order = order(product, "user-" + n);
            Charge charge = begun(order);
            sql.update(
                    "UPDATE orders SET pay_by_ms = ? WHERE order_sn = ?",
                    clock.millis(),
                    order.orderSn());
            assertTold(report(paid(charge)), "REFUNDED", order);
            Answer again = Answer.to(
                    "POST", port, "/seckill/orders/" + order.orderSn() + "/pay", order.userId());
            again.assertRefused(409, "ORDER_NOT_PAYABLE");
            assertThat(again.body()).containsEntry("state", "CANCELLED");
        }
        assertMoneyBalances(product);
        assertBooksBalance(product);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "PAID",
                "orderSn=1",
                "orderSn=\"1\"",
                "nonce=\"../\"",
                "nonce=null",
                "amountCents=-1",
                "amountCents=9.9",
                "amountCents=\"990\"",
                "amountCents=1e3",
                "amountCents=99999999999999999999",
                "outcome=\"REFUNDED\"",
                "outcome=0",
                "signature=\"\"",
                "signature=null"
            })
    void report_that_is_none_is_malformed_and_changes_nothing(String change) {
        Order order = order(sale(5), "alice");
        String good = Json.write(paid(begun(order)));
        int is = change.indexOf('=');
        String bad = is < 0
                ? change
                : good.replaceFirst(
                        "\"" + change.substring(0, is) + "\":(\"[^\"]*\"|[0-9]+)",
                        "\"" + change.substring(0, is) + "\":" + change.substring(is + 1));
        assertThat(bad).isNotEqualTo(good);

        send(bad).assertRefused(400, "BAD_REQUEST");

        assertNoMoney(order);
        send(good + " ".repeat(4_096)).assertRefused(413, "PAYLOAD_TOO_LARGE");
    }

    private Charge begun(Order order) {
        charges.begin(order.orderSn(), order.userId(), NONCE, clock.millis());
        return charges.open(order.orderSn(), order.userId(), clock.millis()).orElseThrow();
    }

    private PaymentReport paid(Charge charge) {
        return gateway.sign(charge, Outcome.PAID);
    }

    private static PaymentReport with(String signature, PaymentReport report) {
        return new PaymentReport(
                report.orderSn(),
                report.nonce(),
                report.amountCents(),
                report.outcome(),
                signature);
    }

    private Answer report(PaymentReport report) {
        return send(Json.write(report));
    }

    private Answer send(String body) {
        return Answer.to("POST", port, "/payments/reports", "", body);
    }

    private static void assertTold(Answer answer, String code, Order order) {
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(Map.of("code", code, "orderSn", order.orderSn()));
    }

    private void assertNoMoney(Order order) {
        assertThat(payments.find(order.orderSn())).isEmpty();
        assertThat(payments.wasGivenBack(order.orderSn())).isFalse();
    }

    /** Q10. */
    private void assertMoneyBalances(String product) {
        Map<String, Object> sums = sql.queryForMap("""
                        SELECT COALESCE(SUM(p.amount_cents), 0)
                                - COALESCE(SUM(r.amount_cents), 0) AS kept,
                            COALESCE(SUM(IF(o.status = 'PAID', o.price_cents * o.quantity, 0)), 0)
                                AS owed
                        FROM orders o LEFT JOIN payment p USING (order_sn)
                            LEFT JOIN refund r USING (order_sn)
                        WHERE product_id = ?""", product);
        assertThat(sums.get("kept")).isEqualTo(sums.get("owed"));
    }

    private long grown(Metrics before, String counter) {
        return metrics().sum(counter) - before.sum(counter);
    }
}
