package io.seckill.load.faults;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Something that happens to a copy in the middle of a sale. */
interface Fault {

    /** All there are, in the order in which they are run. */
    List<Fault> ALL = Stream.of(
                    List.of(Loss.values()),
                    List.of(Trouble.values()),
                    List.of(new Promotion(), new RecoveryKilled(), new TwoStocks()),
                    List.of(new PartAway("broker"), new PartAway("mariadb")))
            .<Fault>flatMap(List::stream)
            .toList();

    String title();

    /** Before the sale is there. */
    Strike prepare(Scene scene) throws Exception;

    /** One fault, ready to happen. */
    interface Strike extends AutoCloseable {

        /**
         * Returns when every part runs again: how much it bit (writes lost, kills that met what
         * they were to meet); 0: not at all, so that the round shows nothing.
         */
        long strike() throws Exception;

        /** When the round is over. */
        @Override
        default void close() throws IOException {}
    }
}
