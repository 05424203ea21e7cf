package io.seckill.order.booking;

import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Select;

/**
 * The database's clock. It alone says whether an order may still be paid, so that instances agree
 * whatever the clocks of their hosts say.
 */
@Mapper
@FunctionalInterface
public interface DatabaseClock {

    /** Milliseconds since 1970 UTC, whatever time zone the database is set to. */
    @Select("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000")
    long millis();
}
