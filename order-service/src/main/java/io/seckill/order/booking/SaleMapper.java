package io.seckill.order.booking;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The tables {@code sale} and {@code shard_ledger}, read only: stock-service owns their rows. */
@Mapper
interface SaleMapper {

    @Select("""
            <script>SELECT s.product_id, s.price_cents, s.per_user_limit, s.pay_within_s,
                GROUP_CONCAT(l.shard) AS shards
            FROM sale s JOIN shard_ledger l ON l.product_id = s.product_id
            WHERE s.product_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            GROUP BY s.product_id
            </script>""")
    List<Sale> of(Collection<String> ids);
}
