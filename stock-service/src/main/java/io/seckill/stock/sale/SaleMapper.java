package io.seckill.stock.sale;

import io.seckill.contracts.Placement;
import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** The tables {@code sale} and {@code shard_ledger}; {@code sold} is order-service's to write. */
@Mapper
public interface SaleMapper {

    String SALE = """
            SELECT product_id, name, price_cents, start_at_ms, end_at_ms, per_user_limit, path,
              pay_within_s, stock_total, synthetic,
              (SELECT GROUP_CONCAT(CONCAT(l.shard, ':', l.epoch, ':', l.state)
                 ORDER BY l.shard SEPARATOR ' ')
               FROM shard_ledger l WHERE l.product_id = sale.product_id) AS placed,
              state, created_at_ms
            FROM sale""";

    @Select(SALE + " WHERE product_id = #{productId}")
    Optional<Sale> find(String productId);

    /** Those that end last come first. */
    @Select(SALE + " ORDER BY end_at_ms DESC, product_id LIMIT #{most}")
    List<Sale> last(int most);

    /** It was a synthetic sale: what still comes of it is late. */
    @Select("SELECT COUNT(*) > 0 FROM removed_sale WHERE product_id = #{productId}")
    boolean wasRemoved(String productId);

    /** Shards that every sale has given up: no new one lies on them. */
    @Select("""
            SELECT l.shard FROM shard_ledger l JOIN sale s ON s.product_id = l.product_id
            WHERE s.state <> 'REMOVING'
            GROUP BY l.shard HAVING MIN(l.state = 'RETIRED') ORDER BY l.shard""")
    List<Integer> retired();

    @Select("SELECT COUNT(*) FROM sale")
    int count();

    /** Fails on the primary key when the product has a sale. */
    @Insert("""
            INSERT INTO sale (product_id, name, price_cents, start_at_ms, end_at_ms, per_user_limit,
              path, pay_within_s, stock_total, synthetic, state, created_at_ms)
            VALUES (#{productId}, #{name}, #{priceCents}, #{startAtMs}, #{endAtMs}, #{perUserLimit},
              #{path}, #{payWithinS}, #{stockTotal}, #{synthetic}, #{state}, #{createdAtMs})""")
    void insert(Sale sale);

    /** In the same transaction as the sale: a sale never has some of its allocations. */
    @Insert("""
            INSERT INTO shard_ledger (product_id, shard, allocated, epoch, state)
            VALUES (#{productId}, #{placement.shard}, #{allocated}, #{placement.epoch},
              #{placement.state})""")
    void insertAllocation(String productId, Placement placement, long allocated);

    @Select("""
            SELECT product_id, shard, allocated, sold, epoch, loaded_at_ms FROM shard_ledger
            WHERE product_id = #{productId} ORDER BY shard""")
    List<Allocation> allocations(String productId);

    /** The allocation while no shard has confirmed it, locked until the transaction ends. */
    @Select("""
            SELECT product_id, shard, allocated, sold, epoch, loaded_at_ms FROM shard_ledger
            WHERE product_id = #{productId} AND shard = #{shard} AND loaded_at_ms IS NULL
            FOR UPDATE""")
    Optional<Allocation> lockUnloaded(String productId, int shard);

    /** Once marked, always marked: the mark is why an allocation is loaded only once. */
    @Update("""
            UPDATE shard_ledger SET loaded_at_ms = #{atMs}
            WHERE product_id = #{productId} AND shard = #{shard} AND loaded_at_ms IS NULL""")
    void markLoaded(String productId, int shard, long atMs);

    /** Opens the sale if every allocation is loaded; only what is being prepared. */
    @Update("""
            UPDATE sale SET state = 'OPEN'
            WHERE product_id = #{productId} AND state = 'PREPARING' AND NOT EXISTS
              (SELECT 1 FROM shard_ledger l
               WHERE l.product_id = #{productId} AND l.loaded_at_ms IS NULL)""")
    void open(String productId);
}
