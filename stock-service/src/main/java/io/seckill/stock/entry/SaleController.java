package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleRequest;
import io.seckill.stock.sale.SaleService;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /admin/sales}: 201 the new sale, 200 the sale as it was; or a refusal. */
@RestController
final class SaleController {

    private static final int MAX_BODY_BYTES = 16_384;

    private final SaleService sales;

    SaleController(SaleService sales) {
        this.sales = sales;
    }

    /** The sale in the words of the request. */
    record Answer(
            String productId,
            long stock,
            long priceCents,
            String name,
            int perUserLimit,
            String startAt,
            String endAt,
            String path,
            int payWithinSeconds,
            int shardCount) {

        static Answer of(Sale sale) {
            return new Answer(
                    sale.productId(),
                    sale.stockTotal(),
                    sale.priceCents(),
                    sale.name(),
                    sale.perUserLimit(),
                    iso(sale.startAtMs()),
                    iso(sale.endAtMs()),
                    sale.path(),
                    sale.payWithinS(),
                    sale.shardCount());
        }

        private static String iso(long ms) {
            return Instant.ofEpochMilli(ms).toString();
        }
    }

    /**
     * 201 or 200; BAD_REQUEST, PAYLOAD_TOO_LARGE, SALE_CONFLICT, BUSY. Reads no more of a body than
     * it would accept, and never resets a sale.
     */
    @PostMapping("/admin/sales")
    ResponseEntity<Answer> create(InputStream body) throws IOException {
        byte[] json = body.readNBytes(MAX_BODY_BYTES + 1);
        if (json.length > MAX_BODY_BYTES) {
            throw new RefusedException(Refusal.PAYLOAD_TOO_LARGE);
        }
        SaleService.Outcome outcome = sales.create(SaleRequest.of(json));
        return ResponseEntity.status(outcome.created() ? 201 : 200).body(Answer.of(outcome.sale()));
    }
}
