package io.seckill.stock.recovery;

import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** The ledger's epoch and state, {@code shard_opening}, and what of the orders a rebuild needs. */
@Mapper
interface RecoveryMapper {

    String PARTS = """
            SELECT l.product_id, l.shard, l.allocated, l.sold, l.epoch, l.last_seq, l.state
            FROM shard_ledger l JOIN sale s ON s.product_id = l.product_id
            WHERE l.loaded_at_ms IS NOT NULL AND l.state <> 'RETIRED' AND s.state <> 'REMOVING'""";

    @Select(PARTS + " ORDER BY l.shard, l.product_id")
    List<Part> parts();

    /** As it is now; nobody else takes units of it, or changes it, until the transaction ends. */
    @Select(PARTS + " AND l.product_id = #{productId} AND l.shard = #{shard} FOR UPDATE")
    Optional<Part> lock(Part part);

    /** Units whose return the shard said it has taken, in this epoch or later. */
    @Select("""
            SELECT COALESCE(SUM(quantity), 0) FROM stock_return
            WHERE product_id = #{part.productId} AND shard = #{part.shard} AND action = 'RETURN'
              AND outcome IN ('RETURNED', 'ALREADY_DONE') AND answered_epoch >= #{sinceEpoch}""")
    long returned(Part part, int sinceEpoch);

    @Select("""
            SELECT COALESCE(SUM(quantity), 0) FROM orders
            WHERE product_id = #{productId} AND shard = #{shard} AND live_user IS NOT NULL""")
    long liveUnits(Part part);

    /** A rebuild forgets the seq, so what was seen of it says nothing any more. */
    @Update("""
            UPDATE shard_ledger SET epoch = #{epoch}, state = #{state},
              last_seq = IF(state = 'OPEN', last_seq, 0)
            WHERE product_id = #{part.productId} AND shard = #{part.shard}""")
    void begin(Part part, int epoch, String state);

    @Insert("""
            INSERT INTO shard_opening (product_id, shard, epoch, kept_seq, opened_at_ms)
            VALUES (#{part.productId}, #{part.shard}, #{epoch}, #{keptSeq}, #{nowMs})""")
    void insertOpening(Part part, int epoch, long keptSeq, long nowMs);

    /** A reservation that an order of this shard holds. */
    record Holder(
            String orderSn,
            String reservationId,
            String userId,
            int quantity,
            long reservedAtMs,
            int epoch,
            long seq) {}

    /**
     * The next of the orders that were live when the epoch began, by number. Those closed since
     * then are among them: their units are on their way back to the shard that is built.
     */
    @Select("""
            SELECT order_sn, reservation_id, user_id, quantity, reserved_at_ms, epoch, seq
            FROM orders
            WHERE product_id = #{part.productId} AND shard = #{part.shard}
              AND order_sn > #{after}
              AND (live_user IS NOT NULL
                OR (status <> 'REJECTED' AND final_epoch >= #{epoch}))
            ORDER BY order_sn LIMIT #{most}""")
    List<Holder> holders(Part part, int epoch, String after, int most);

    /** False: the sale is gone, or a later recovery has it in hand. */
    @Update("""
            UPDATE shard_ledger SET state = 'OPEN'
            WHERE product_id = #{part.productId} AND shard = #{part.shard}
              AND epoch = #{epoch} AND state = 'RECOVERING'""")
    boolean open(Part part, int epoch);
}
