package io.seckill.flashsale.relay;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.ReservationSigner;
import io.seckill.flashsale.attempt.MarkFinder.Mark;
import io.seckill.quantity.Books.State;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Sends a reservation again whose result a buyer has waited for too long.
 *
 * <p>order-service tells again what became of it, which mends a result that the control Redis has
 * lost. Early or needless reminders change nothing, so this is best effort: each reservation once
 * in {@link #QUIET}, at most {@link #MAX_ASKED} of them in that time (200/s, less than orders are
 * written); what is beyond, or meets a shard or broker that is away, is dropped, and the buyer's
 * next question asks again.
 */
@Component
public final class ReminderRelay {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofSeconds(10);
    private static final int MAX_ASKED = 2_000;

    private final MessageSender sender;
    private final ReservationSigner signer;
    private final Clock clock;
    private final BlockingQueue<Overdue> queue = new ArrayBlockingQueue<>(MAX_ASKED);

    /** Reservation to when it was asked for, the oldest first. */
    private final Map<String, Long> askedAtNs = new LinkedHashMap<>();

    ReminderRelay(MessageSender sender, ReservationSigner signer, Clock clock) {
        this.sender = sender;
        this.signer = signer;
        this.clock = clock;
    }

    private record Overdue(String productId, Mark mark) {

        /** None when the unit was given back meanwhile. */
        Stream<Reservation> reservation() {
            String id = mark.reservationId();
            return mark
                    .shard()
                    .reservation(productId, id)
                    .filter(kept -> kept.state() == State.R)
                    .map(kept -> new Reservation(
                            id,
                            productId,
                            kept.userId(),
                            kept.quantity(),
                            mark.shard().index(),
                            kept.epoch(),
                            kept.seq(),
                            kept.reservedAtMs()))
                    .stream();
        }
    }

    /** Never waits and never fails. Ids begin with the time, so that no shard need be asked. */
    public void ask(String productId, Mark mark) {
        String overdue = HexFormat.of().toHexDigits(clock.millis() - PATIENCE.toMillis(), 12);
        if (mark.reservationId().compareTo(overdue) < 0 && isDue(mark.reservationId())) {
            queue.offer(new Overdue(productId, mark));
        }
    }

    private synchronized boolean isDue(String reservationId) {
        long nowNs = System.nanoTime();
        Iterator<Long> oldest = askedAtNs.values().iterator();
        while (oldest.hasNext() && nowNs - oldest.next() > QUIET.toNanos()) {
            oldest.remove();
        }
        return askedAtNs.size() < MAX_ASKED && askedAtNs.putIfAbsent(reservationId, nowNs) == null;
    }

    /** Sends up to a batch of what was asked for. True: there may be more. */
    public boolean send() {
        List<Overdue> batch = new ArrayList<>();
        queue.drainTo(batch, MessageSender.MAX_BATCH);
        List<Outgoing> outgoing = batch.stream()
                .flatMap(Overdue::reservation)
                .map(r -> new Outgoing(r.reservationId(), Json.write(signer.sign(r))))
                .toList();
        if (!outgoing.isEmpty()) {
            sender.send(Reservation.TOPIC, outgoing);
        }
        return batch.size() == MessageSender.MAX_BATCH;
    }
}
