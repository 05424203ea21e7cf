package io.seckill.order.relay;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Sends the rows of the outbox, a page at a time.
 *
 * <p>A row is written with what it tells of, and deleted only when the broker has confirmed it: a
 * crash anywhere in between sends a message twice and loses none; consumers take duplicates. Small
 * rows share a send and a large one may be in two: of one that is confirmed in part all goes again.
 * The first is whole in the first send, so each send that is confirmed gets the page on. The
 * page stays locked from the reading to the deleting, and another instance passes over it: each
 * sends its own. The locks end with the connection, so what a dead instance had in hand is sent by
 * whoever comes next. The database cuts whoever is silent for long in a transaction
 * (idle_transaction_timeout), so no send begins after {@link #SENDING}: a slow broker would have
 * the same page sent again for ever.
 */
@Component
final class OutboxRelay {

    /** Rows in hand at once, each of {@link MessageSender#MAX_BATCH} messages at most. */
    static final int PAGE = 64;

    /** With the 6 s that one send may take, below the 15 s after which the database cuts it. */
    static final Duration SENDING = Duration.ofSeconds(6);

    private final OutboxRows rows;
    private final MessageSender sender;
    private final TransactionTemplate template;

    OutboxRelay(OutboxRows rows, MessageSender sender, TransactionTemplate template) {
        this.rows = rows;
        this.sender = sender;
        this.template = template;
    }

    /** What a page became: how many rows it had, and the topics of those that stay. */
    private record Sent(int count, List<String> late) {}

    /**
     * Sends the oldest rows. True: there may be more. Throws when the broker did not confirm all.
     */
    boolean relay() {
        Sent sent = requireNonNull(template.execute(status -> sendPage()));
        if (!sent.late().isEmpty()) {
            throw new IllegalStateException(
                    "not confirmed by the broker: messages for " + sent.late());
        }
        return sent.count() == PAGE;
    }

    /** Never throws for the broker: what it has confirmed must be deleted whatever it refused. */
    private Sent sendPage() {
        List<OutboxRows.Row> page = rows.lockOldest(PAGE);
        long startNs = System.nanoTime();
        Map<String, List<OutboxRows.Row>> byTopic = page.stream()
                .collect(groupingBy(OutboxRows.Row::topic, LinkedHashMap::new, toList()));
        List<Long> confirmed = new ArrayList<>(page.size());
        List<String> late = byTopic.entrySet().stream()
                .filter(topic -> !sent(topic.getKey(), topic.getValue(), startNs, confirmed))
                .map(Map.Entry::getKey)
                .toList();
        if (!confirmed.isEmpty()) {
            rows.delete(confirmed);
        }
        return new Sent(page.size(), late);
    }

    /** False when not all were; the rows are confirmed of which the broker has all. */
    private boolean sent(
            String topic, List<OutboxRows.Row> page, long startNs, List<Long> confirmed) {
        List<Outgoing> messages =
                page.stream().flatMap(row -> row.messages().stream()).toList();
        int sent = send(topic, messages, startNs);
        int last = 0;
        for (OutboxRows.Row row : page) {
            last += row.messages().size();
            if (last <= sent) {
                confirmed.add(row.id());
            }
        }
        return sent == messages.size();
    }

    /** How many: all before the first batch without a confirmation or time; no other is tried. */
    private int send(String topic, List<Outgoing> messages, long startNs) {
        for (int from = 0; from < messages.size(); from += MessageSender.MAX_BATCH) {
            int to = Math.min(from + MessageSender.MAX_BATCH, messages.size());
            boolean isTime = System.nanoTime() - startNs < SENDING.toNanos();
            if (!isTime || !sender.send(topic, messages.subList(from, to))) {
                return from;
            }
        }
        return messages.size();
    }
}
