package io.seckill.stock.parked;

import java.util.List;
import java.util.Optional;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/** The table {@code parked_message}, of all services. */
@Mapper
interface ParkedMapper {

    String COLUMNS =
            "SELECT id, service, topic, message_id, body, reason, parked_at_ms FROM parked_message ";

    @Select(COLUMNS + "WHERE id < #{before} ORDER BY id DESC LIMIT #{limit}")
    List<ParkedMessage> newest(long before, int limit);

    @Select(COLUMNS + "WHERE id = #{id}")
    Optional<ParkedMessage> find(long id);

    @Select("SELECT COUNT(*) FROM parked_message")
    long count();

    @Delete("DELETE FROM parked_message WHERE id = #{id}")
    void delete(long id);
}
