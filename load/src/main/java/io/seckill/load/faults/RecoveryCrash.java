package io.seckill.load.faults;

import io.seckill.common.CrashPoint;
import io.seckill.load.copy.CopyCommand;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * stock-service ends at one step of taking back a shard that lost something, or of giving units
 * back, and is started again; rounds with seeds that follow each other go through all steps.
 */
final class RecoveryCrash implements Fault {

    /** Those a round gets to; the tests of the services have the others too. */
    static final List<CrashPoint> POINTS = List.of(
            CrashPoint.RECOVERY_CLOSED,
            CrashPoint.RECOVERY_DECIDING,
            CrashPoint.RECOVERY_DECIDED,
            CrashPoint.RECOVERY_GATE_OPEN,
            CrashPoint.REBUILD_BEGUN,
            CrashPoint.REBUILD_PAGE_SENT,
            CrashPoint.REBUILD_FILLED,
            CrashPoint.REBUILD_ENDED,
            CrashPoint.REBUILD_LEDGER_OPEN,
            CrashPoint.REBUILD_GATE_OPEN,
            CrashPoint.RETURN_ANSWERED,
            CrashPoint.RETURN_WRITTEN);

    private static final int LIMIT_S = 60; // for a start, a drain, and the steps before

    @Override
    public String title() {
        return "recovery-crash";
    }

    static CrashPoint point(long seed) {
        return POINTS.get((int) (seed % POINTS.size()));
    }

    @Override
    public boolean needsReturns(long seed) {
        return point(seed).title().startsWith("return.");
    }

    @Override
    public Strike prepare(Scene scene) {
        return new AtPoint(scene, point(scene.seed()));
    }

    private record AtPoint(Scene scene, CrashPoint point) implements Strike {

        @Override
        public String choice() {
            return point.title();
        }

        /** 1: it ended there. */
        @Override
        public long strike() throws IOException, InterruptedException {
            Part stock = scene.part("stock");
            stock.kill();
            loss().strike(scene);
            startToCrash(stock);
            boolean isReached = stock.awaitEnd(LIMIT_S);
            if (isReached && !stock.log().contains("the process ends at " + point.title())) {
                scene.broken().add("stock-service ended by itself before " + point.title());
            }
            stock.start();
            return isReached ? 1 : 0;
        }

        /** What lost nothing is opened as it is, what lost something is rebuilt. */
        private Loss loss() {
            boolean isKept = point == CrashPoint.RECOVERY_GATE_OPEN
                    || (point.title().startsWith("recovery.") && scene.random().nextBoolean());
            return isKept ? Loss.RESTART : Loss.any(scene.random());
        }

        /** It may well be gone before it is healthy. */
        private void startToCrash(Part stock) throws IOException, InterruptedException {
            String setting = point.title() + "@" + scene.productId();
            new CopyCommand(scene.copy())
                    .launch(Map.of("SECKILL_CRASH_AT", setting), "restart", stock.name())
                    .waitFor();
        }
    }
}
