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

    /** It connects before the rush, which may be over sooner. */
    @Override
    public Strike prepare(Scene scene) throws IOException, SQLException {
        return new Held(scene, new Database(scene.copy()));
    }

    private record Held(Scene scene, Database holder) implements Strike {

        /** Reservations that waited for it. */
        @Override
        public long strike() throws IOException, SQLException, InterruptedException {
            hold(holder.connection());
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

        private void hold(Connection connection) throws SQLException {
            connection.setAutoCommit(false);
            String sql = "SELECT 1 FROM shard_ledger WHERE product_id = ? AND shard = ? FOR UPDATE";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, scene.productId());
                statement.setInt(2, scene.shard());
                statement.executeQuery();
            }
        }

        @Override
        public void close() throws IOException {
            try {
                holder.close();
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }
}
