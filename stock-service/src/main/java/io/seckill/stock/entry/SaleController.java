package io.seckill.stock.entry;

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

    private final BodyReader bodies;
    private final SaleService sales;

    SaleController(BodyReader bodies, SaleService sales) {
        this.bodies = bodies;
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
            boolean synthetic,
            String placements) {

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
                    sale.synthetic(),
                    sale.placed());
        }

        private static String iso(long ms) {
            return Instant.ofEpochMilli(ms).toString();
        }
    }

    /** 201 or 200; BAD_REQUEST, PAYLOAD_TOO_LARGE, SALE_CONFLICT, BUSY. Never resets a sale. */
    @PostMapping("/admin/sales")
    ResponseEntity<Answer> create(InputStream body) throws IOException {
        SaleService.Outcome outcome = sales.create(bodies.read(body, SaleRequest.class));
        return ResponseEntity.status(outcome.created() ? 201 : 200).body(Answer.of(outcome.sale()));
    }
}
