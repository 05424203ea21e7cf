package io.seckill.load.bench;

import io.seckill.load.AtCtrlC;
import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;

import java.io.IOException;

/**
 * A copy for what cannot be measured on the bench's own: started beside it, deleted at the end,
 * also after Ctrl-C. Its folder is named after the bench's, its ports are {@link #HIGHER} higher.
 */
final class PrivateCopy implements AutoCloseable {

    static final int HIGHER = 40; // a copy uses 32 ports

    private final RunningCopy copy;
    private final CopyCommand command;
    private final AtCtrlC atCtrlC = new AtCtrlC("wipe-private-copy", this::wipe);
    private final LimitKeeper limits;
    private final Rig rig;

    PrivateCopy(Rig beside, int shards) throws IOException, InterruptedException {
        RunningCopy other = beside.copy();
        copy = other.beside(
                other.home().resolveSibling(other.home().toFile().getName() + "-growth"), HIGHER);
        command = new CopyCommand(copy);
        try {
            command.run("up", "--shards", Integer.toString(shards));
            limits = new LimitKeeper(copy);
            rig = new Rig(copy, beside.scale(), limits);
        } catch (RuntimeException | IOException | InterruptedException e) {
            end();
            throw e;
        }
    }

    Rig rig() {
        return rig;
    }

    @Override
    public void close() {
        rig.close();
        limits.close();
        end();
    }

    private void end() {
        wipe();
        atCtrlC.close();
    }

    private void wipe() {
        try {
            command.run("down", "--wipe");
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("could not remove " + copy.home(), e);
        }
    }
}
