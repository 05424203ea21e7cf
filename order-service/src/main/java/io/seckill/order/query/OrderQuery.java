package io.seckill.order.query;

import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads orders for their buyer; changes nothing. */
@Component
public final class OrderQuery {

    private final OrderViewMapper views;

    OrderQuery(OrderViewMapper views) {
        this.views = views;
    }

    /** At most so many of the user's, older than the place, newest first, without the rejected. */
    public OrderPage page(String userId, Place before, int limit) {
        List<OrderView.Row> found =
                views.page(userId, before.createdAtMs(), before.orderSn(), limit + 1);
        boolean isLast = found.size() <= limit;
        List<OrderView.Row> rows = isLast ? found : found.subList(0, limit);
        return new OrderPage(
                rows.stream().map(OrderView.Row::view).toList(),
                isLast ? null : rows.get(limit - 1).place().toString());
    }

    /** Empty also for an order of somebody else. */
    public Optional<OrderView> find(String orderSn, String userId) {
        return views.find(orderSn, userId).map(OrderView.Row::view);
    }
}
