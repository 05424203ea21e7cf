package io.seckill.stock.audit;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.shard.Books;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.shard.Shards;
import io.seckill.stock.Away;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads the stores and has the books checked, one product at a time.
 *
 * <p>Each shard is read as of one instant unless buyers never pause meanwhile, and the database
 * after all shards as one snapshot. Until then a unit may move, so the books of a running sale may
 * differ for a moment; {@code pending} says what is on its way, and whoever wants certainty asks
 * again when it is zero. A store that cannot be read is BUSY, never a guess.
 */
@Service
final class Auditor {

    private static final Logger LOG = LoggerFactory.getLogger(Auditor.class);

    private final SaleMapper sales;
    private final AuditMapper mapper;
    private final Shards shards;
    private final TransactionTemplate snapshot;

    Auditor(
            SaleMapper sales,
            AuditMapper mapper,
            Shards shards,
            PlatformTransactionManager transactions) {
        this.sales = sales;
        this.mapper = mapper;
        this.shards = shards;
        snapshot = new TransactionTemplate(transactions);
        snapshot.setReadOnly(true);
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    AuditAnswer all() {
        return Away.named(() -> audit(mapper.productIds()));
    }

    /** NO_SUCH_SALE when there is none. */
    AuditAnswer of(String productId) {
        return Away.named(() -> audit(List.of(productId)));
    }

    private AuditAnswer audit(List<String> productIds) {
        AuditAnswer.Pending pending = new AuditAnswer.Pending(0, mapper.orderOutbox(), 0);
        List<ProductBooks> products = new ArrayList<>();
        for (String productId : productIds) {
            Facts facts = facts(productId);
            products.add(Audit.check(facts));
            pending = pending.plus(facts);
        }
        boolean balanced = products.stream().allMatch(books -> books.differences().isEmpty());
        return new AuditAnswer(balanced, products, pending);
    }

    private Facts facts(String productId) {
        Sale sale = sales.find(productId)
                .orElseThrow(() -> new RefusedException(Refusal.NO_SUCH_SALE));
        List<Books> books =
                sale.over(shards).stream().map(shard -> books(shard, productId)).toList();
        return snapshot.execute(status -> new Facts(sale, sales.parts(productId), books,
                mapper.liveOrders(productId), mapper.returnsNotDone(productId)));
    }

    private static Books books(Shard shard, String productId) {
        try {
            return shard.books(productId);
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.warn("audit of {}: {}", productId, e.getMessage());
            throw Away.shard(shard.index());
        }
    }
}
