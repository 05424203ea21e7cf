package io.seckill.flashsale.entry;

import io.seckill.common.RefusalAnswer;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.sale.SaleCache;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The routes of this hop but for the busy two, which {@link AttemptServlet} and {@link
 * ResultServlet} have. Who asks and for what comes in headers that the edge has set and that are
 * checked again.
 */
@RestController
@RequestMapping(FlashSaleController.ROOT)
class FlashSaleController {

    static final String ROOT = "/seckill/flash/sale";
    static final String ATTEMPT = ROOT + "/deduct";
    static final String RESULT = ROOT + "/result";

    private final SaleCache sales;
    private final PathSigner signer;

    FlashSaleController(SaleCache sales, PathSigner signer) {
        this.sales = sales;
        this.signer = signer;
    }

    /**
     * 200 with the path; NOT_STARTED, ENDED, NO_SUCH_SALE, BUSY, TOO_MANY_REQUESTS. No path before
     * the start. Signed on threads of its own, for each waits for the control Redis: those that
     * attempts come in by are free meanwhile.
     */
    @PostMapping("/path")
    Callable<ResponseEntity<Map<String, Object>>> path(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId) {
        return () -> malformed(userId, productId)
                .orElseGet(() -> sales.open(productId)
                        .either(sale -> signedPath(userId, productId), RefusalAnswer::of));
    }

    /** As many wait for those threads as may. */
    @ExceptionHandler
    ResponseEntity<Map<String, Object>> tooManyWait(TaskRejectedException e) {
        return RefusalAnswer.of(Refusal.BUSY);
    }

    private ResponseEntity<Map<String, Object>> signedPath(String userId, String productId) {
        PathSigner.SignedPath signed = signer.sign(userId, productId);
        return ResponseEntity.ok(
                Map.of("path", signed.path(), "expiresAt", signed.expiresAt().toString()));
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
