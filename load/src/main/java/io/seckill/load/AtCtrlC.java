package io.seckill.load;

/**
 * Something that is undone also when Ctrl-C (or SIGTERM) ends the run.
 *
 * <p>The JVM runs all of them at the same time and ends when the last has ended, while the run's
 * own threads go on. So whichever is first says that the end has begun: generators send nothing
 * more then, and what the run itself has to say is of no interest. {@link #close} comes after the
 * thing has been undone, not before, or Ctrl-C in between would cut that off.
 */
public final class AtCtrlC implements AutoCloseable {

    private static volatile boolean hasBegun;

    private final Thread thread;

    public AtCtrlC(String name, Runnable undo) {
        thread = new Thread(
                () -> {
                    hasBegun = true;
                    undo.run();
                },
                name);
        Runtime.getRuntime().addShutdownHook(thread);
    }

    public static boolean hasBegun() {
        return hasBegun;
    }

    /** Where there is nothing to go on with: the JVM ends us. */
    public static void stay() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** There is nothing to undo any more; does not return when Ctrl-C came first. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            stay();
        }
    }
}
