package io.seckill.flashsale;

import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.Reservation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The reservations of one product that a consumer was told of, each as often as it came. */
public final class HeardReservations implements MessageHandler<Reservation> {

    private final String productId;
    private final List<Reservation> all = new CopyOnWriteArrayList<>();

    public HeardReservations(String productId) {
        this.productId = productId;
    }

    public List<Reservation> all() {
        return all;
    }

    public List<String> ids() {
        return all.stream().map(Reservation::reservationId).toList();
    }

    @Override
    public void handle(List<Reservation> messages) {
        messages.stream()
                .filter(message -> message.productId().equals(productId))
                .forEach(all::add);
    }

    @Override
    public void park(String topic, String messageId, String body, String reason) {
        throw new IllegalStateException("no message of this service is damaged: " + body);
    }
}
