package io.seckill.stock.recovery;

import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Does something to one of many after the other: one that fails keeps no other from its turn, and
 * is logged once, until it fails in another way or works. One thread uses it.
 */
final class Apart {

    private final Logger log;
    private final Map<String, String> failures = new HashMap<>(); // at most one per kind and part

    Apart(Logger log) {
        this.log = log;
    }

    /** False: it failed. */
    boolean did(String what, Runnable task) {
        try {
            task.run();
            if (failures.remove(what) != null) {
                log.info("{}: works again", what);
            }
            return true;
        } catch (RuntimeException e) {
            if (!e.toString().equals(failures.put(what, e.toString()))) {
                log.warn("{}: fails and is tried again each turn: {}", what, e.toString());
            }
            return false;
        }
    }
}
