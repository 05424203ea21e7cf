package io.seckill.load.faults;

import io.seckill.load.copy.Database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Somebody locks the shard's row of the ledger in the rush: its orders wait, those of others not. */
final class LedgerRowHeld implements Fault {

    private static final int HELD_MS = 10_000;

    /** For others: a batch waits for the row once, for 3 s, and is taken apart then. */
    private static final int PATIENCE_MS = 7_000;

    @Override
    public String title() {
        return "ledger-row-held";
    }

    @Override
    public boolean needsRush() {
        return true;
    }

    @Override
    public Strike prepare(Scene scene) {
        return () -> strike(scene);
    }

    /** Reservations that waited for it. */
    private static long strike(Scene scene) throws IOException, SQLException, InterruptedException {
        try (Database holder = new Database(scene.copy())) {
            hold(holder.connection(), scene);
            Thread.sleep(HELD_MS);
            Seen seen = Seen.of(scene.copy(), scene.productId());
            long longAgoMs = System.currentTimeMillis() - PATIENCE_MS;
            long others = seen.undecided(shard -> shard != scene.shard(), longAgoMs);
            if (others > 0) {
                scene.broken().add(others + " reservations waited for another shard's ledger row");
            }
            long bite = seen.undecided(shard -> shard == scene.shard(), Long.MAX_VALUE);
            holder.connection().rollback();
            return bite;
        }
    }

    private static void hold(Connection connection, Scene scene) throws SQLException {
        connection.setAutoCommit(false);
        String sql = "SELECT 1 FROM shard_ledger WHERE product_id = ? AND shard = ? FOR UPDATE";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, scene.productId());
            statement.setInt(2, scene.shard());
            statement.executeQuery();
        }
    }
}
