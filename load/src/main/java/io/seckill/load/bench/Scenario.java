package io.seckill.load.bench;

import java.util.List;

/** One row of the bench's table of scenarios: measures a thing and its floors in the same run. */
interface Scenario {

    /** As in {@code ./seckill bench NAME}. */
    String name();

    /** What it measures, in a sentence or two for the page of results. */
    String about();

    /**
     * Its table. Every sale it made must have come out right, or the row says what did not ({@link
     * Rig#verdict}). What it leaves running is closed by the rig.
     */
    List<Row> run(Rig rig) throws Exception;
}
