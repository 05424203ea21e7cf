package io.seckill.stock.sale;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.jspecify.annotations.Nullable;

/** The end of a synthetic sale in every table; {@link SaleRemoval} says in which order. */
@Mapper
interface RemovalMapper {

    /** Ends it for good; false for a real sale and for one that is being removed. */
    @Update("""
            UPDATE sale SET state = 'REMOVING', end_at_ms = LEAST(end_at_ms, #{nowMs}),
              start_at_ms = LEAST(start_at_ms, #{nowMs} - 1)
            WHERE product_id = #{productId} AND synthetic AND state <> 'REMOVING'""")
    boolean begin(String productId, long nowMs);

    /** No preheating call gives a shard units from here on; waits for one that just does. */
    @Update("""
            UPDATE shard_ledger SET loaded_at_ms = #{nowMs}
            WHERE product_id = #{productId} AND loaded_at_ms IS NULL""")
    void stopLoading(String productId, long nowMs);

    @Select("SELECT product_id FROM sale WHERE state = 'REMOVING' ORDER BY product_id")
    List<String> removing();

    /** What one shard's reservations of one epoch have become. */
    record Landed(int shard, int epoch, long orders) {}

    @Select("""
            SELECT shard, epoch, COUNT(*) AS orders FROM orders
            WHERE product_id = #{productId} GROUP BY shard, epoch""")
    List<Landed> landed(String productId);

    /** Rows with messages of the sale that order-service has decided and not sent. */
    @Select("""
            SELECT COUNT(*) FROM outbox
            WHERE messages LIKE CONCAT('%"productId":"', #{productId}, '"%')""")
    long unsent(String productId);

    /** Closed orders whose return nobody here has seen; a lost reservation owes none. */
    @Select("""
            SELECT COUNT(*) FROM orders o
              LEFT JOIN stock_return r ON r.reservation_id = o.reservation_id
            WHERE o.product_id = #{productId} AND o.live_user IS NULL
              AND NOT o.reason <=> 'LOST' AND r.reservation_id IS NULL""")
    long unseenReturns(String productId);

    @Delete("DELETE FROM shard_ledger WHERE product_id = #{productId}")
    void deleteLedger(String productId);

    @Delete("DELETE FROM shard_opening WHERE product_id = #{productId}")
    void deleteOpenings(String productId);

    @Delete("DELETE FROM stock_change WHERE product_id = #{productId}")
    void deleteChanges(String productId);

    @Delete("DELETE FROM sale WHERE product_id = #{productId} AND state = 'REMOVING'")
    boolean deleteSale(String productId);

    @Delete("DELETE FROM limit_change WHERE product_id = #{productId}")
    void deleteLimits(String productId);

    @Insert("INSERT INTO removed_sale (product_id, removed_at_ms) VALUES (#{productId}, #{nowMs})")
    void remember(String productId, long nowMs);

    /** A sale that is gone, and when the last of its data was; null: some may be left. */
    record Removed(
            String productId, long removedAtMs, @Nullable Long wipedAtMs) {}

    @Select("SELECT product_id, removed_at_ms, wiped_at_ms FROM removed_sale"
            + " WHERE product_id = #{productId}")
    Optional<Removed> removed(String productId);

    /** Those not wiped, and those whose removal a slow instance may not know yet. */
    @Select("""
            SELECT product_id, removed_at_ms, wiped_at_ms FROM removed_sale
            WHERE wiped_at_ms IS NULL OR removed_at_ms > #{sinceMs} ORDER BY product_id""")
    List<Removed> unfinished(long sinceMs);

    /** A row of {@code orders} to delete. */
    record Left(String orderSn, String reservationId, String userId) {}

    @Select("""
            SELECT order_sn, reservation_id, user_id FROM orders
            WHERE product_id = #{productId} LIMIT #{most}""")
    List<Left> left(String productId, int most);

    @Delete("""
            <script>DELETE FROM orders WHERE order_sn IN
            <foreach collection='rows' item='row' open='(' separator=',' close=')'>
            #{row.orderSn}</foreach></script>""")
    void deleteOrders(Collection<Left> rows);

    @Delete("""
            <script>DELETE FROM payment WHERE order_sn IN
            <foreach collection='rows' item='row' open='(' separator=',' close=')'>
            #{row.orderSn}</foreach></script>""")
    void deletePayments(Collection<Left> rows);

    @Delete("""
            <script>DELETE FROM charge WHERE order_sn IN
            <foreach collection='rows' item='row' open='(' separator=',' close=')'>
            #{row.orderSn}</foreach></script>""")
    void deleteCharges(Collection<Left> rows);

    @Delete("""
            <script>DELETE FROM refund WHERE order_sn IN
            <foreach collection='rows' item='row' open='(' separator=',' close=')'>
            #{row.orderSn}</foreach></script>""")
    void deleteRefunds(Collection<Left> rows);

    @Delete("""
            <script>DELETE FROM stock_return WHERE reservation_id IN
            <foreach collection='rows' item='row' open='(' separator=',' close=')'>
            #{row.reservationId}</foreach></script>""")
    void deleteReturns(Collection<Left> rows);

    @Delete("""
            DELETE FROM parked_message
            WHERE body LIKE CONCAT('%"productId":"', #{productId}, '"%')""")
    void deleteParked(String productId);

    @Update("""
            UPDATE removed_sale SET wiped_at_ms = #{nowMs}
            WHERE product_id = #{productId} AND wiped_at_ms IS NULL""")
    void markWiped(String productId, long nowMs);

    @Delete("DELETE FROM removed_sale WHERE removed_at_ms < #{untilMs} AND wiped_at_ms IS NOT NULL")
    void forget(long untilMs);
}
