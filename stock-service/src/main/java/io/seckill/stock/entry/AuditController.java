package io.seckill.stock.entry;

import io.seckill.stock.query.AuditAnswer;
import io.seckill.stock.query.AuditQuery;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /admin/audit}: 200 the books of one product or of all; or a refusal. */
@RestController
final class AuditController {

    private final AuditQuery audits;

    AuditController(AuditQuery audits) {
        this.audits = audits;
    }

    /** 200 whether or not the books balance; BAD_REQUEST, NO_SUCH_SALE, BUSY. Changes nothing. */
    @GetMapping("/admin/audit")
    AuditAnswer audit(@RequestParam(required = false) @Nullable String productId) {
        return productId == null ? audits.all() : audits.of(SaleController.checked(productId));
    }
}
