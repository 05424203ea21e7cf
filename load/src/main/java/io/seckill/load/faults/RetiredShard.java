package io.seckill.load.faults;

import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.Database;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A shard dies and is given up; its units are sold by the others. Then it comes back after all,
 * with all it had, and nothing of it may be used.
 */
final class RetiredShard implements Fault {

    private static final int AWAY_MS = 3_000;

    @Override
    public String title() {
        return "retired";
    }

    @Override
    public Strike prepare(Scene scene) {
        return new Retired(scene);
    }

    private record Retired(Scene scene) implements Strike {

        @Override
        public long strike() throws IOException, InterruptedException {
            long left = scene.inShard().count("available");
            scene.part().kill();
            scene.pauseUpTo(AWAY_MS);
            new CopyCommand(scene.copy())
                    .run("shard", "retire", Integer.toString(scene.shard()), "--for-good");
            scene.pauseUpTo(AWAY_MS);
            scene.part().start();
            return left;
        }

        /**
         * The copy's other sales get an empty part back, by hand, rebuilt from the books: new sales
         * leave out a shard of which nothing is used.
         */
        @Override
        public void close() throws IOException {
            String sql = "UPDATE shard_ledger SET state = 'RECOVERING'"
                    + " WHERE state = 'RETIRED' AND product_id <> ?";
            try (Database database = new Database(scene.copy());
                    PreparedStatement statement = database.connection().prepareStatement(sql)) {
                statement.setString(1, scene.productId());
                statement.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
