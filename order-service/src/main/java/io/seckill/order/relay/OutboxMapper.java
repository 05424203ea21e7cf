package io.seckill.order.relay;

import io.seckill.common.message.MessageSender.Outgoing;
import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code outbox}: a row per decision and repetition, deleted once the broker has it. */
@Mapper
interface OutboxMapper {

    /** A message as it will be sent. */
    record Row(long id, String topic, String messageKey, String body) {}

    /** All (at least one) in one statement. */
    @Insert("""
            <script>INSERT INTO outbox (topic, message_key, body, created_at_ms) VALUES
            <foreach collection='messages' item='message' separator=','>
            (#{topic}, #{message.key}, #{message.body}, #{nowMs})</foreach>
            </script>""")
    void insert(String topic, Collection<Outgoing> messages, long nowMs);

    @Select("SELECT id, topic, message_key, body FROM outbox ORDER BY id LIMIT #{limit}")
    List<Row> oldest(int limit);

    @Delete("""
            <script>DELETE FROM outbox WHERE id IN
            <foreach collection='ids' item='id' open='(' separator=',' close=')'>#{id}</foreach>
            </script>""")
    void delete(Collection<Long> ids);
}
