package io.seckill.stock.parked;

import io.seckill.common.RefusedException;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Refusal;
import io.seckill.stock.Unavailable;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Shows what was parked, and sends it again once what kept it from being handled is mended.
 *
 * <p>It is removed when the broker has it. A crash in between leaves it, to be sent again: whoever
 * listens takes duplicates. What still cannot be handled is parked anew.
 */
@Service
public final class ParkedMessages {

    private static final int PAGE = 100;

    private final ParkedMapper parked;
    private final MessageSender sender;

    ParkedMessages(ParkedMapper parked, MessageSender sender) {
        this.parked = parked;
        this.sender = sender;
    }

    /** The newest {@link #PAGE} of those below an id, and how many there are in all. */
    public record Page(long count, List<ParkedMessage> messages) {}

    /** BUSY. */
    public Page newest(long before) {
        return Unavailable.named(() -> new Page(parked.count(), parked.newest(before, PAGE)));
    }

    /** What was sent; NOT_FOUND, BUSY. */
    public ParkedMessage replay(long id) {
        ParkedMessage one = Unavailable.named(() -> parked.find(id))
                .orElseThrow(() -> new RefusedException(
                        Refusal.NOT_FOUND, "there is no parked message " + id));
        if (!sender.send(one.topic(), List.of(new Outgoing(one.messageId(), one.body())))) {
            throw Unavailable.broker();
        }
        return Unavailable.named(() -> {
            parked.delete(id);
            return one;
        });
    }
}
