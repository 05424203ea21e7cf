package io.seckill.load.bench;

import java.util.List;

/** One row of the bench's table of scenarios: measures a thing and its floors in the same run. */
interface Scenario {

    /** As in {@code ./seckill bench NAME}. */
    String name();

    /** What it measures, in a sentence for the page of results. */
    String about();

    List<Row> run(Rig rig) throws Exception;
}
