package io.seckill.flashsale.query;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attempts on one shard that this process has written down as unknown and not seen settled, for
 * the control Redis may lose what it was told.
 *
 * <p>At most as many as that keeps of all instances ({@link ResultStore#MAX_UNKNOWN}, some 3 MB);
 * what is beyond it alone has. Added by any thread; the pages are one thread's.
 */
final class OpenHere {

    private final Map<String, Unknown> open = new ConcurrentHashMap<>();
    private Iterator<Unknown> next = Collections.emptyIterator();

    void add(Unknown attempt) {
        if (open.size() < ResultStore.MAX_UNKNOWN) {
            open.put(attempt.member(), attempt);
        }
    }

    void remove(String member) {
        open.remove(member);
    }

    /** The next of them, from the first again after the last. */
    List<Unknown> page(int count) {
        if (!next.hasNext()) {
            next = open.values().iterator();
        }
        List<Unknown> page = new ArrayList<>();
        while (page.size() < count && next.hasNext()) {
            page.add(next.next());
        }
        return page;
    }
}
