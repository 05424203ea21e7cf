package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Refusal;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleRemoval;
import io.seckill.stock.sale.SaleRequest;
import io.seckill.stock.sale.SaleService;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /admin/sales} and {@code DELETE /admin/sales/ID}; or a refusal. */
@RestController
final class SaleController {

    private final BodyReader bodies;
    private final SaleService sales;
    private final SaleRemoval removal;

    SaleController(BodyReader bodies, SaleService sales, SaleRemoval removal) {
        this.bodies = bodies;
        this.sales = sales;
        this.removal = removal;
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

    /** 200 once nothing of it is left; BAD_REQUEST, NO_SUCH_SALE, NOT_SYNTHETIC, BUSY. */
    @DeleteMapping("/admin/sales/{productId}")
    Map<String, String> remove(@PathVariable String productId) {
        removal.remove(checked(productId));
        return Map.of("productId", productId);
    }

    /** BAD_REQUEST when no product can have this id. */
    static String checked(String productId) {
        if (!Ids.isProduct(productId)) {
            throw new RefusedException(
                    Refusal.BAD_REQUEST,
                    "productId must be 1 to 18 digits that do not start with 0");
        }
        return productId;
    }
}
