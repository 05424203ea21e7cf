package io.seckill.flashsale.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.Attempt;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.query.ResultQuery;
import io.seckill.flashsale.sale.SaleCache;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.regex.Pattern;
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
@RequestMapping("/seckill/flash/sale")
final class FlashSaleController {

    private static final Pattern QUANTITY = Pattern.compile("[1-9][0-9]{0,8}");

    /** A unit is left, but no shard has as many as were asked for; one order is of one shard. */
    private static final String ASK_FOR_FEWER =
            "So many are not left in one place; try with a smaller quantity";

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
        check(userId, productId);
        require(QUANTITY.matcher(quantity).matches(), EdgeHeaders.QUANTITY);
        Attempt attempt = attempts.attempt(userId, productId, Integer.parseInt(quantity));
        if (attempt.nothingLeft()) {
            response.setHeader(EdgeHeaders.SOLD_OUT, "1");
        }
        if (attempt.refusal() != null) {
            throw refused(attempt);
        }
        return ResponseEntity.status(HttpStatus.ACCEPTED)
                .header(EdgeHeaders.CODE, "ACCEPTED")
                .body(Map.of("code", "ACCEPTED", "reservationId", attempt.reservationId()));
    }

    /** 200 with the path; NOT_STARTED, ENDED, NO_SUCH_SALE, BUSY. No path before the start. */
    @PostMapping("/path")
    Map<String, Object> path(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId) {
        check(userId, productId);
        sales.open(productId);
        PathSigner.SignedPath signed = signer.sign(userId, productId);
        return Map.of("path", signed.path(), "expiresAt", signed.expiresAt().toString());
    }

    /** 200 with the status; NO_SUCH_SALE, BUSY. */
    @GetMapping("/result")
    Map<String, Object> result(
            @RequestHeader(EdgeHeaders.USER) String userId,
            @RequestHeader(EdgeHeaders.PRODUCT) String productId) {
        check(userId, productId);
        return results.result(userId, productId);
    }

    private static RefusedException refused(Attempt attempt) {
        Map<String, Object> more = attempt.reservationId() == null
                ? Map.of()
                : Map.of("reservationId", attempt.reservationId());
        boolean fewer = attempt.refusal() == Refusal.SOLD_OUT && !attempt.nothingLeft();
        return new RefusedException(attempt.refusal(), fewer ? ASK_FOR_FEWER : null, more);
    }

    private static void check(String userId, String productId) {
        require(Ids.isUser(userId), EdgeHeaders.USER);
        require(Ids.isProduct(productId), EdgeHeaders.PRODUCT);
    }

    private static void require(boolean holds, String header) {
        if (!holds) {
            throw new RefusedException(Refusal.BAD_REQUEST, header + " is malformed");
        }
    }
}
