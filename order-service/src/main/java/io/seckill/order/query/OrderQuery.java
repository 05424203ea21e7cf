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

    /** The user's newest 100 without the rejected. */
    public List<OrderView> newest(String userId) {
        return views.newest(userId).stream().map(OrderView.Row::view).toList();
    }

    /** Empty also for an order of somebody else. */
    public Optional<OrderView> find(String orderSn, String userId) {
        return views.find(orderSn, userId).map(OrderView.Row::view);
    }
}
