package io.seckill.order.booking;

import java.util.Set;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** The table {@code order_worker}: who makes order numbers of which worker, and until when. */
@Mapper
interface WorkerMapper {

    /** False: another instance has it, or its numbers may go as far as that already. */
    @Update("""
            UPDATE order_worker SET until_ms = #{untilMs}
            WHERE worker = #{worker} AND owner = #{owner} AND until_ms < #{untilMs}""")
    boolean extend(int worker, String owner, long untilMs);

    /** Workers whose numbers may go beyond this. */
    @Select("SELECT worker FROM order_worker WHERE until_ms > #{nowMs}")
    Set<Integer> taken(long nowMs);

    /** How many workers others have. */
    @Select("SELECT COUNT(*) FROM order_worker WHERE until_ms > #{nowMs} AND owner <> #{owner}")
    int others(String owner, long nowMs);

    /** A row for it, which nobody owns, unless there is one. */
    @Insert("INSERT IGNORE INTO order_worker VALUES (#{worker}, '', 0)")
    void add(int worker);

    /** False: somebody else was faster. */
    @Update("""
            UPDATE order_worker SET owner = #{owner}, until_ms = #{untilMs}
            WHERE worker = #{worker} AND until_ms <= #{nowMs}""")
    boolean take(int worker, String owner, long nowMs, long untilMs);
}
