package io.seckill.order.booking;

import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.jspecify.annotations.Nullable;

/** The table {@code limit_change}: stock-service's, read only. */
@Mapper
interface LimitMapper {

    /** What operators set last; null: nothing, so the default. */
    @Select("""
            SELECT value FROM limit_change WHERE product_id = '' AND limit_key = #{key}
            ORDER BY change_no DESC LIMIT 1""")
    @Nullable
    Long latest(String key);
}
