package io.seckill.load.faults;

import java.io.IOException;

/** Something that happens to a copy in the middle of a sale. */
interface Fault {

    String title();

    /** Whether it needs orders of this round to be left unpaid and closed; else chance says. */
    default boolean needsReturns(long seed) {
        return false;
    }

    /** Whether those who leave their first order unpaid think better of it when it is closed. */
    default boolean paysLate() {
        return false;
    }

    /** Whether its sale is one as any other, which nobody can remove; else it is synthetic. */
    default boolean sellsForReal() {
        return false;
    }

    /** Whether it needs units that are still to be sold; else it may come when some come back. */
    default boolean needsRush() {
        return false;
    }

    /** Before the sale is there. */
    Strike prepare(Scene scene) throws Exception;

    /** One fault, ready to happen. */
    interface Strike extends AutoCloseable {

        /**
         * Returns when every part runs again: how much it bit (writes lost, kills that met what
         * they were to meet); 0: not at all, so that the round shows nothing.
         */
        long strike() throws Exception;

        /** What of it the seed chose, for the round's line; empty: nothing to be told. */
        default String choice() {
            return "";
        }

        /** When the round is over. */
        @Override
        default void close() throws IOException {}
    }
}
