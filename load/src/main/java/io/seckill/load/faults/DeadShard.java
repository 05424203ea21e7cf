package io.seckill.load.faults;

import io.seckill.load.copy.Database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The shard is dead while orders of it are closed: their returns wait until it is there again. */
final class DeadShard implements Fault {

    private static final int ENOUGH = 3;

    @Override
    public String title() {
        return "return-to-dead";
    }

    @Override
    public boolean needsReturns(long seed) {
        return true;
    }

    @Override
    public Strike prepare(Scene scene) {
        return () -> {
            scene.part().kill();
            Scene.await(() -> waiting(scene) >= ENOUGH);
            long waiting = waiting(scene);
            scene.part().start();
            return waiting;
        };
    }

    private static long waiting(Scene scene) {
        String sql = "SELECT COUNT(*) FROM stock_return WHERE outcome = 'WAITING'"
                + " AND product_id = ? AND shard = ?";
        try (Database database = new Database(scene.copy());
                Connection connection = database.connection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, scene.productId());
            statement.setInt(2, scene.shard());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        } catch (IOException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
