package io.seckill.shard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Something a script took that still has to be handed over.
 *
 * @param id the stream's
 * @param fields as the script wrote them; what they mean is the stock's to say
 */
public record OutboxEntry(String productId, String id, Map<String, String> fields) {

    /** When it was written, ms since 1970 by the shard's clock. */
    public long atMs() {
        return Long.parseLong(id, 0, id.indexOf('-'), 10);
    }

    static OutboxEntry of(String productId, String id, List<String> flat) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            fields.put(flat.get(i), flat.get(i + 1));
        }
        return new OutboxEntry(productId, id, fields);
    }
}
