package io.seckill.order;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code outbox}: at most one live row per decision, deleted once the broker has it. */
@Mapper
interface OutboxMapper {

    /** A message as it will be sent. */
    record Row(long id, String topic, String messageKey, String body) {}

    @Insert("""
            INSERT INTO outbox (topic, message_key, body, created_at_ms)
            VALUES (#{topic}, #{key}, #{body}, #{nowMs})""")
    void insert(String topic, String key, String body, long nowMs);

    @Select("SELECT id, topic, message_key, body FROM outbox ORDER BY id LIMIT #{limit}")
    List<Row> oldest(int limit);

    @Delete("""
            <script>DELETE FROM outbox WHERE id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    void delete(Collection<Long> ids);
}
