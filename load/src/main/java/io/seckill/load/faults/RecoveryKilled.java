package io.seckill.load.faults;

import static java.util.Objects.requireNonNull;

import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.Database;
import java.io.IOException;
import java.sql.SQLException;

/** stock-service is killed again and again while it takes back a shard that lost something. */
final class RecoveryKilled implements Fault {

    private static final int KILLS = 3;
    private static final int STEPS_MS = 30; // a rebuild of some reservations takes about as long

    @Override
    public String title() {
        return "recovery-killed";
    }

    @Override
    public Strike prepare(Scene scene) {
        return () -> strike(scene);
    }

    /** Counts the kills after which the shard was still closed, though its rebuild had begun. */
    private static long strike(Scene scene) throws Exception {
        Part stock = scene.part("stock");
        stock.kill();
        Loss.any(scene.random()).strike(scene);
        long bites = 0;
        for (int kills = 0; kills < KILLS; kills++) {
            Process start = new CopyCommand(scene.copy()).launch("restart", stock.name());
            boolean begun = awaitOpening(scene);
            scene.pauseUpTo(STEPS_MS);
            stock.kill();
            start.waitFor();
            bites += begun && !Seen.isOpen(scene.copy(), scene.shard(), scene.productId()) ? 1 : 0;
        }
        stock.start();
        return bites;
    }

    /** Until the ledger has another epoch. */
    private static boolean awaitOpening(Scene scene)
            throws IOException, SQLException, InterruptedException {
        try (Database database = new Database(scene.copy())) {
            int epoch = epoch(scene, database);
            return Scene.await(() -> epoch(scene, database) != epoch);
        }
    }

    private static int epoch(Scene scene, Database database) {
        try {
            var ledger = Seen.ledger(database.connection(), scene.productId());
            return requireNonNull(ledger.get(scene.shard())).epoch();
        } catch (SQLException e) {
            throw new IllegalStateException("the ledger cannot be read", e);
        }
    }
}
