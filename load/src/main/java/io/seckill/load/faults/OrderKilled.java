package io.seckill.load.faults;

import io.seckill.contracts.Limits;
import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.LimitKeeper;

import java.io.IOException;
import java.sql.SQLException;

/**
 * order-service is killed again and again in the middle of the sale's orders, of which it may write
 * few a second, so that some are left each time.
 */
final class OrderKilled implements Fault {

    private static final int KILLS = 3;
    private static final int PER_SECOND = 5;
    private static final int WITHIN_MS = 1_000; // of the first order that it writes

    @Override
    public String title() {
        return "order-killed";
    }

    @Override
    public boolean needsRush() {
        return true;
    }

    @Override
    public Strike prepare(Scene scene) throws InterruptedException {
        LimitKeeper limits = new LimitKeeper(scene.copy());
        limits.putGlobal(Limits.ORDER_RATE_PER_SECOND, PER_SECOND);
        LimitKeeper.awaitFelt();
        return new Kills(scene, limits);
    }

    private record Kills(Scene scene, LimitKeeper limits) implements Strike {

        /** Counts the kills that met it while it had written some and some had no order yet. */
        @Override
        public long strike() throws IOException, SQLException, InterruptedException {
            Part order = scene.part("order");
            order.kill();
            long bites = isAnyLeft() ? 1 : 0;
            for (int kills = 1; kills < KILLS; kills++) {
                Process start = new CopyCommand(scene.copy()).launch("restart", order.name());
                boolean writes = awaitOrders();
                scene.pauseUpTo(WITHIN_MS);
                order.kill();
                start.waitFor();
                bites += writes && isAnyLeft() ? 1 : 0;
            }
            limits.putBack();
            order.start();
            return bites;
        }

        private boolean isAnyLeft() throws IOException, SQLException {
            return Seen.of(scene.copy(), scene.productId()).undecided(shard -> true, Long.MAX_VALUE)
                    > 0;
        }

        /** More than there are; false: none comes. */
        private boolean awaitOrders() throws IOException, SQLException, InterruptedException {
            try (Database database = new Database(scene.copy())) {
                long before = rows(database);
                return Scene.await(() -> rows(database) > before);
            }
        }

        private long rows(Database database) {
            try {
                return Seen.orders(database.connection(), scene.productId()).size();
            } catch (SQLException e) {
                throw new IllegalStateException("the orders cannot be read", e);
            }
        }

        @Override
        public void close() {
            limits.close();
        }
    }
}
