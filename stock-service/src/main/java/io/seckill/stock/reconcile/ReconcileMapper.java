package io.seckill.stock.reconcile;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.jspecify.annotations.Nullable;

/**
 * What the database says of reservations, and the rows of {@code stock_return} that were missing.
 */
@Mapper
interface ReconcileMapper {

    /**
     * A shard's part of an open sale, while its ledger is OPEN.
     *
     * @param isChanging units come or go: the shard may have them already, or not yet
     */
    record Place(String productId, int shard, int epoch, long allocated, boolean isChanging) {

        boolean isSame(Place other) {
            return productId.equals(other.productId)
                    && shard == other.shard
                    && epoch == other.epoch;
        }
    }

    String PLACES = """
            SELECT l.product_id, l.shard, l.epoch, l.allocated,
              EXISTS (SELECT 1 FROM stock_change c WHERE c.state = 'WAITING'
                AND c.product_id = l.product_id AND c.shard = l.shard) AS is_changing
            FROM shard_ledger l JOIN sale s ON s.product_id = l.product_id AND s.state = 'OPEN'
            WHERE l.state = 'OPEN'""";

    /** The next after a place, in the order of products and shards; '' and -1: the first. */
    @Select(PLACES + """
             AND (l.product_id > #{productId} OR (l.product_id = #{productId}
              AND l.shard > #{shard}))
            ORDER BY l.product_id, l.shard LIMIT #{most}""")
    List<Place> places(String productId, int shard, int most);

    @Select(PLACES + " AND l.product_id = #{productId} AND l.shard = #{shard}")
    Optional<Place> place(Place before);

    /** A reservation that holds units and has no live order of its shard; null: what is missing. */
    record Odd(
            String reservationId,
            @Nullable String orderSn,
            boolean isOwed,
            @Nullable Long endedAtMs,
            @Nullable String outcome) {}

    /**
     * Of the reservations of a shard (a JSON list of ids) those that are odd.
     *
     * <p>A return is owed by an order that ended, also by one that was LOST: what it holds here its
     * attempt took again, in a later life of the shard, and no message will make an order of it.
     */
    @Select("""
            SELECT i.id AS reservation_id, o.order_sn,
              o.product_id <=> #{place.productId} AND o.shard <=> #{place.shard}
                AND o.final_epoch IS NOT NULL
                AND o.status IN ('CANCELLED', 'REJECTED') AS is_owed,
              COALESCE(o.closed_at_ms, o.created_at_ms) AS ended_at_ms, r.outcome
            FROM JSON_TABLE(#{ids}, '$[*]' COLUMNS (
              id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$')) i
            LEFT JOIN orders o ON o.reservation_id = i.id
            LEFT JOIN stock_return r ON r.reservation_id = i.id
            WHERE o.live_user IS NULL OR o.product_id <> #{place.productId}
              OR o.shard <> #{place.shard}""")
    List<Odd> odd(Place place, String ids);

    /**
     * An order as it is compared with its shard.
     *
     * @param isOpen its ledger and its sale are
     * @param epoch its ledger's
     * @param isOwed it ended, owes a return, and has no row of one; LOST owes none, for its units
     *     were counted when its shard was rebuilt
     */
    record Compared(
            String orderSn,
            String reservationId,
            String productId,
            int shard,
            boolean isLive,
            boolean isOpen,
            int epoch,
            boolean isOwed,
            long endedAtMs) {}

    @Select("""
            SELECT o.order_sn, o.reservation_id, o.product_id, o.shard,
              o.live_user IS NOT NULL AS is_live,
              l.state <=> 'OPEN' AND s.state <=> 'OPEN' AS is_open,
              COALESCE(l.epoch, 0) AS epoch,
              r.reservation_id IS NULL AND o.final_epoch IS NOT NULL
                AND NOT o.reason <=> 'LOST'
                AND o.status IN ('CANCELLED', 'REJECTED') AS is_owed,
              COALESCE(o.closed_at_ms, o.created_at_ms) AS ended_at_ms
            FROM (SELECT order_sn, reservation_id, product_id, shard, live_user, final_epoch,
                reason, status, closed_at_ms, created_at_ms
              FROM orders WHERE order_sn > #{after} ORDER BY order_sn LIMIT #{max}) o
            LEFT JOIN sale s ON s.product_id = o.product_id
            LEFT JOIN shard_ledger l ON l.product_id = o.product_id AND l.shard = o.shard
            LEFT JOIN stock_return r ON r.reservation_id = o.reservation_id
            ORDER BY o.order_sn""")
    List<Compared> orders(String after, int max);

    /** Which of these reservations (at least one) have a live order. */
    @Select("""
            <script>SELECT reservation_id FROM orders WHERE live_user IS NOT NULL
            AND reservation_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    Set<String> live(List<String> ids);

    /** A WAITING row of a return that has none; false: it has one by now. */
    @Insert("""
            INSERT INTO stock_return (reservation_id, product_id, user_id, quantity, shard, epoch,
              action, cause, outcome, asked_at_ms)
            SELECT o.reservation_id, o.product_id, o.user_id, o.quantity, o.shard, o.final_epoch,
              IF(o.reason = 'LEDGER_FULL', 'BURN', 'RETURN'), COALESCE(o.reason, o.status),
              'WAITING', #{nowMs}
            FROM orders o LEFT JOIN stock_return r ON r.reservation_id = o.reservation_id
            WHERE o.reservation_id = #{reservationId} AND r.reservation_id IS NULL""")
    boolean owe(String reservationId, long nowMs);

    /** A return that was done waits again, a burn as a burn; false: it waits already. */
    @Update("""
            UPDATE stock_return SET outcome = 'WAITING', answered_epoch = NULL,
              asked_at_ms = #{nowMs}
            WHERE reservation_id = #{reservationId} AND outcome <> 'WAITING'""")
    boolean again(String reservationId, long nowMs);
}
