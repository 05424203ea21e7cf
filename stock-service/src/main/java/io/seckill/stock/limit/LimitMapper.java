package io.seckill.stock.limit;

import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.jspecify.annotations.Nullable;

/** The table {@code limit_change}: its latest row of a limit is what counts. */
@Mapper
interface LimitMapper {

    /** The latest word on a limit; {@code value} null: it was removed. */
    record Kept(
            String productId,
            String limitKey,
            int changeNo,
            @Nullable Long value) {}

    @Select("""
            SELECT product_id, limit_key, change_no, value FROM limit_change
              JOIN (SELECT product_id, limit_key, MAX(change_no) AS change_no FROM limit_change
                    GROUP BY product_id, limit_key) latest
              USING (product_id, limit_key, change_no)""")
    List<Kept> latest();

    /**
     * False: the product has no sale, or one that is being removed. Fails on the primary key when
     * another instance wrote this change before.
     */
    @Insert("""
            INSERT INTO limit_change
              (product_id, limit_key, change_no, value, changed_at_ms, changed_by)
            SELECT #{limit.productId}, #{limit.key}, #{changeNo}, #{value}, #{atMs}, #{by}
            FROM DUAL WHERE #{limit.productId} = '' OR EXISTS
              (SELECT 1 FROM sale
               WHERE product_id = #{limit.productId} AND state <> 'REMOVING')""")
    boolean insert(Limit limit, int changeNo, @Nullable Long value, long atMs, @Nullable String by);

    @Delete("""
            DELETE FROM limit_change WHERE product_id = #{limit.productId}
              AND limit_key = #{limit.key} AND change_no <= #{changeNo}""")
    void forgetUpTo(Limit limit, int changeNo);
}
