package io.seckill.stock.recovery;

import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** {@code stock_change}, and units that move from one row of the ledger to others. */
@Mapper
interface ChangeMapper {

    String MOVABLE = """
            FROM shard_ledger l JOIN sale s ON s.product_id = l.product_id
            WHERE s.state <> 'REMOVING'
              AND (l.state <> 'RETIRED' OR l.allocated > l.sold)""";

    /** Products that have units in this shard which another may sell. */
    @Select("SELECT l.product_id " + MOVABLE + " AND l.shard = #{shard} ORDER BY l.product_id")
    List<String> productsOn(int shard);

    @Select("SELECT COUNT(*) FROM shard_ledger WHERE shard = #{shard}")
    int parts(int shard);

    /** Products that no other shard could sell. */
    @Select("SELECT l.product_id " + MOVABLE + """
             AND l.shard = #{shard} AND l.state <> 'RETIRED' AND NOT EXISTS
              (SELECT 1 FROM shard_ledger o WHERE o.product_id = l.product_id
                AND o.shard <> l.shard AND o.state <> 'RETIRED' AND o.loaded_at_ms IS NOT NULL)
            ORDER BY l.product_id""")
    List<String> lone(int shard);

    /** A row of the ledger, locked with all others of its product until the transaction ends. */
    record Row(int shard, long allocated, long sold, int epoch, String state, boolean isLoaded) {

        boolean isRetired() {
            return state.equals("RETIRED");
        }
    }

    @Select("""
            SELECT shard, allocated, sold, epoch, state, loaded_at_ms IS NOT NULL AS is_loaded
            FROM shard_ledger WHERE product_id = #{productId} ORDER BY shard FOR UPDATE""")
    List<Row> lock(String productId);

    /** Only what is sold there stays there. */
    @Update("""
            UPDATE shard_ledger SET allocated = sold, epoch = #{epoch}, state = 'RETIRED',
              loaded_at_ms = COALESCE(loaded_at_ms, #{nowMs})
            WHERE product_id = #{productId} AND shard = #{shard}""")
    void retire(String productId, int shard, int epoch, long nowMs);

    /** Parts of sales that are being removed, which wait for the shard: nobody needs their units. */
    @Update("""
            UPDATE shard_ledger l JOIN sale s ON s.product_id = l.product_id
            SET l.state = 'RETIRED' WHERE s.state = 'REMOVING' AND l.shard = #{shard}""")
    void giveUpRemoving(int shard);

    /** No reservation of before becomes an order any more. */
    @Insert("""
            INSERT INTO shard_opening (product_id, shard, epoch, kept_seq, opened_at_ms)
            VALUES (#{productId}, #{shard}, #{epoch}, -1, #{nowMs})""")
    void insertOpening(String productId, int shard, int epoch, long nowMs);

    @Update("""
            UPDATE shard_ledger SET allocated = allocated + #{units}
            WHERE product_id = #{productId} AND shard = #{shard}""")
    void add(String productId, int shard, long units);

    @Insert("""
            INSERT INTO stock_change (product_id, shard, units, epoch, cause, state, changed_at_ms)
            VALUES (#{productId}, #{shard}, #{units}, #{epoch}, #{cause}, 'WAITING', #{nowMs})""")
    void insert(String productId, int shard, long units, int epoch, String cause, long nowMs);

    /** Units that are in the ledger and perhaps not yet in their shard. */
    record Change(long id, String productId, int shard, long units, int epoch, boolean isRetired) {

        String place() {
            return shard + " " + productId;
        }

        @Override
        public String toString() {
            return "shard " + shard + ", product " + productId;
        }
    }

    @Select("""
            SELECT c.id, c.product_id, c.shard, c.units, c.epoch, l.state = 'RETIRED' AS is_retired
            FROM stock_change c JOIN shard_ledger l USING (product_id, shard)
            WHERE c.state = 'WAITING' AND c.shard = #{shard} ORDER BY c.id LIMIT #{most}""")
    List<Change> waiting(int shard, int most);

    @Update("UPDATE stock_change SET state = 'DONE' WHERE id = #{id}")
    void done(long id);

    /** Those whose orders were closed: their units are others' to sell. */
    @Select("""
            SELECT product_id, shard FROM shard_ledger
            WHERE state = 'RETIRED' AND allocated > sold""")
    List<Retired> freed();

    @Select("""
            SELECT product_id, shard FROM shard_ledger
            WHERE state = 'RETIRED' AND shard < #{shards} ORDER BY shard, product_id""")
    List<Retired> retired(int shards);

    /** A part that was given up. */
    record Retired(String productId, int shard) {

        @Override
        public String toString() {
            return "shard " + shard + ", product " + productId;
        }
    }
}
