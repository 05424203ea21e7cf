package io.seckill.order.booking;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code sale}, read only: stock-service owns it. */
@Mapper
interface SaleMapper {

    @Select("""
            <script>SELECT product_id, price_cents, per_user_limit, pay_within_s, shard_count, epoch
            FROM sale WHERE product_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    List<Sale> of(Collection<String> ids);
}
