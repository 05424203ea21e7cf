package io.seckill.order.booking;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code parked_message}: kept for a human, once per message. */
@Mapper
interface ParkedMapper {

    @Insert("""
            INSERT INTO parked_message (service, topic, message_id, body, reason, parked_at_ms)
            VALUES ('order-service', #{topic}, #{messageId}, LEFT(#{body}, 16000),
                LEFT(#{reason}, 200), #{nowMs})
            ON DUPLICATE KEY UPDATE id = id""")
    boolean insert(String topic, String messageId, String body, String reason, long nowMs);

    /** Throws when the database is away. */
    @Select("SELECT 1")
    int ping();
}
