package io.seckill.stock.query;

import io.seckill.common.RefusedException;
import io.seckill.common.message.Backlog;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.Books;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.Unavailable;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads the stores and has the books checked, one product at a time.
 *
 * <p>Each shard is read as of one instant unless buyers never pause meanwhile, then what waits in
 * RocketMQ, and the database last as one snapshot: the way a reservation takes. One that is held in
 * a shard and gets its order later is therefore in the shard's outbox when that is read, or not
 * acknowledged when the broker is asked: {@code pending} misses none, and may count some that have
 * arrived. Units that come back, and orders of later reservations, may still make the books
 * of a running sale differ for a moment; whoever wants certainty asks again when {@code pending} is
 * zero. A store that cannot be read is BUSY, never a guess; a broker that cannot be asked leaves
 * its numbers unknown, for the equations need none of them. A sale whose removal has begun by then
 * has no books any more.
 */
@Component
public final class AuditQuery {

    private static final Logger LOG = LoggerFactory.getLogger(AuditQuery.class);

    private final SaleMapper sales;
    private final AuditMapper mapper;
    private final QuantityStocks shards;
    private final Backlog backlog;
    private final TransactionTemplate snapshot;

    AuditQuery(
            SaleMapper sales,
            AuditMapper mapper,
            QuantityStocks shards,
            Backlog backlog,
            PlatformTransactionManager transactions) {
        this.sales = sales;
        this.mapper = mapper;
        this.shards = shards;
        this.backlog = backlog;
        snapshot = new TransactionTemplate(transactions);
        snapshot.setReadOnly(true);
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    public AuditAnswer all() {
        return Unavailable.named(() -> audit(mapper.productIds()));
    }

    /** NO_SUCH_SALE when there is none. */
    public AuditAnswer of(String productId) {
        return Unavailable.named(() -> {
            AuditAnswer answer = audit(List.of(productId));
            if (answer.products().isEmpty()) {
                throw new RefusedException(Refusal.NO_SUCH_SALE);
            }
            return answer;
        });
    }

    private AuditAnswer audit(List<String> productIds) {
        AuditAnswer.Pending pending = AuditAnswer.Pending.of(mapper.orderOutbox());
        List<ProductBooks> products = new ArrayList<>();
        for (String productId : productIds) {
            Optional<Facts> facts = facts(productId, pending.queued().isKnown());
            if (facts.isPresent()) {
                products.add(Audit.check(facts.get()));
                pending = pending.plus(facts.get());
            }
        }
        boolean balanced =
                products.stream().allMatch(books -> books.differences().isEmpty());
        return new AuditAnswer(balanced, products, pending);
    }

    /** A broker that did not answer is not asked again for the next product. */
    private Optional<Facts> facts(String productId, boolean isBrokerThere) {
        return sales.find(productId).flatMap(sale -> facts(sale, isBrokerThere));
    }

    private Optional<Facts> facts(Sale sale, boolean isBrokerThere) {
        String productId = sale.productId();
        Map<Integer, Books> books = new LinkedHashMap<>();
        for (Placement placement : sale.placementsInUse()) {
            books.put(placement.shard(), books(sale.shard(placement, shards), productId));
        }
        Queued queued = isBrokerThere ? queued() : Queued.UNKNOWN;
        return snapshot.execute(status -> sales.find(productId)
                .filter(still -> !still.isBeingRemoved())
                .map(still -> new Facts(
                        still,
                        sales.allocations(productId),
                        books,
                        queued,
                        mapper.liveOrders(productId),
                        mapper.returnsNotDone(productId))));
    }

    private Queued queued() {
        OptionalLong reservations = backlog.of(Reservation.TOPIC, Reservation.GROUP);
        return reservations.isEmpty()
                ? Queued.UNKNOWN
                : new Queued(reservations, backlog.of(StockReturn.TOPIC, StockReturn.GROUP));
    }

    private static Books books(QuantityStock shard, String productId) {
        try {
            return shard.books(productId);
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.warn("audit of {}: {}", productId, e.getMessage());
            throw Unavailable.shard(shard.index());
        }
    }
}
