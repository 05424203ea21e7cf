package io.seckill.order.booking;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The tables {@code sale} and {@code shard_ledger}, read only: stock-service owns their rows. */
@Mapper
interface OfferMapper {

    @Select("""
            <script>SELECT product_id, shard, price_cents, per_user_limit, pay_within_s
            FROM sale JOIN shard_ledger USING (product_id) WHERE product_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    List<Offer> of(Collection<String> ids);
}
