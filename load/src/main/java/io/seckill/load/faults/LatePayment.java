package io.seckill.load.faults;

import java.io.IOException;

/**
 * Users pay at the instant at which their orders are closed, while the shard loses something: each
 * order is paid or cancelled, and its unit is theirs or another's.
 */
final class LatePayment implements Fault {

    @Override
    public String title() {
        return "pay-against-cancel";
    }

    @Override
    public boolean needsReturns(long seed) {
        return true;
    }

    @Override
    public boolean paysLate() {
        return true;
    }

    /** Payments that came too late, of which it takes some: others were in time then. */
    @Override
    public Strike prepare(Scene scene) {
        return new Rush(scene);
    }

    private record Rush(Scene scene) implements Strike {

        @Override
        public long strike() throws IOException, InterruptedException {
            Loss.any(scene.random()).strike(scene);
            Scene.await(() -> scene.crowd().tooLate() > 0);
            return scene.crowd().tooLate();
        }
    }
}
