package io.seckill.flashsale.query.planted;

import java.sql.Connection;
import java.sql.SQLException;

/** Breaks: a poll for a result reaches the database. */
final class AsksTheDatabase {

    boolean answers(Connection database) throws SQLException {
        return database.isValid(1);
    }
}
