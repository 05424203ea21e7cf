package io.seckill.order.booking;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** Tables {@code sale}, {@code shard_ledger}, {@code removed_sale}: stock-service's, read only. */
@Mapper
interface OfferMapper {

    @Select("""
            <script>SELECT product_id, shard, epoch, price_cents, per_user_limit,
                pay_within_s
            FROM sale JOIN shard_ledger USING (product_id) WHERE product_id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    List<Offer> of(Collection<String> ids);

    /** It was a synthetic sale: what still comes of it is late. */
    @Select("SELECT COUNT(*) > 0 FROM removed_sale WHERE product_id = #{productId}")
    boolean wasRemoved(String productId);
}
