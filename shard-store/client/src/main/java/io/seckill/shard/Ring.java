package io.seckill.shard;

import io.seckill.contracts.Placement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** The order in which a user's attempts ask the shards of a sale. */
public final class Ring {

    private Ring() {}

    /** The user's home and then the others: always the same order for the same user. */
    public static List<Placement> of(String userId, List<Placement> placements) {
        int count = placements.size();
        int home = home(userId, count);
        List<Placement> ring = new ArrayList<>(count);
        for (int i = home; i < home + count; i++) {
            ring.add(placements.get(i % count));
        }
        return ring;
    }

    /** The place of a user's home among so many placements. */
    public static int home(String userId, int count) {
        CRC32 crc = new CRC32();
        crc.update(userId.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % count);
    }
}
