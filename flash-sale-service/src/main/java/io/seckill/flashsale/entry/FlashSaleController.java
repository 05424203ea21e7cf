package io.seckill.flashsale.entry;

import io.seckill.common.RefusalAnswer;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.query.ResultQuery;
import io.seckill.flashsale.sale.SaleCache;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The routes of this hop. Who asks, for what and how many comes in headers that the edge has set;
 * they are checked again, because a key or a log line is made of them.
 */
@RestController
@RequestMapping(FlashSaleController.ROOT)
final class FlashSaleController {

    static final String ROOT = "/seckill/flash/sale";
    static final String ATTEMPT = ROOT + "/deduct";

    private final AttemptService attempts;
    private final ResultQuery results;
    private final SaleCache sales;
    private final PathSigner signer;

    FlashSaleController(
            AttemptService attempts, ResultQuery results, SaleCache sales, PathSigner signer) {
        this.attempts = attempts;
        this.results = results;
        this.sales = sales;
        this.signer = signer;
    }

    /**
     * 202 ACCEPTED; SOLD_OUT, ALREADY_BOUGHT, NOT_STARTED, ENDED, NO_SUCH_SALE, BAD_REQUEST, BUSY.
     * Never answers SOLD_OUT while a shard of the sale is silent.
     */
    @PostMapping("/deduct")
    ResponseEntity<Map<String, Object>> deduct(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId,
            @RequestHeader(EdgeHeaders.QUANTITY) String quantity,
            HttpServletResponse response) {
        return malformed(userId, productId)
                .or(() -> malformed(EdgeHeaders.isQuantity(quantity), EdgeHeaders.QUANTITY))
                .orElseGet(() -> answer(
                        attempts.attempt(userId, productId, Integer.parseInt(quantity)), response));
    }

    private static ResponseEntity<Map<String, Object>> answer(
            AttemptOutcome outcome, HttpServletResponse response) {
        if (outcome instanceof Accepted accepted) {
            return ResponseEntity.status(HttpStatus.ACCEPTED)
                    .header(EdgeHeaders.CODE, "ACCEPTED")
                    .body(Map.of("code", "ACCEPTED", "reservationId", accepted.reservationId()));
        }
        Refused refused = (Refused) outcome;
        if (refused.nothingLeft()) {
            response.setHeader(EdgeHeaders.SOLD_OUT, "1");
        }
        return RefusalAnswer.of(refused.refusal(), refused.message(), refused.more());
    }

    /** 200 with the path; NOT_STARTED, ENDED, NO_SUCH_SALE, BUSY. No path before the start. */
    @PostMapping("/path")
    ResponseEntity<Map<String, Object>> path(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId) {
        return malformed(userId, productId)
                .orElseGet(() -> sales.open(productId)
                        .either(sale -> signedPath(userId, productId), RefusalAnswer::of));
    }

    private ResponseEntity<Map<String, Object>> signedPath(String userId, String productId) {
        PathSigner.SignedPath signed = signer.sign(userId, productId);
        return ResponseEntity.ok(
                Map.of("path", signed.path(), "expiresAt", signed.expiresAt().toString()));
    }

    /** 200 with the status; NO_SUCH_SALE, BUSY. */
    @GetMapping("/result")
    ResponseEntity<Map<String, Object>> result(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId) {
        return malformed(userId, productId)
                .orElseGet(() -> results.result(userId, productId)
                        .either(ResponseEntity::ok, RefusalAnswer::of));
    }

    private static Optional<ResponseEntity<Map<String, Object>>> malformed(
            String userId, String productId) {
        return malformed(Ids.isUser(userId), EdgeHeaders.USER)
                .or(() -> malformed(Ids.isProduct(productId), EdgeHeaders.PRODUCT));
    }

    /** The refusal when the header is not as the edge makes it. */
    private static Optional<ResponseEntity<Map<String, Object>>> malformed(
            boolean holds, String header) {
        return holds
                ? Optional.empty()
                : Optional.of(
                        RefusalAnswer.of(Refusal.BAD_REQUEST, header + " is malformed", Map.of()));
    }
}
