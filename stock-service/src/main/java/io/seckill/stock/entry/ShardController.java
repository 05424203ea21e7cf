package io.seckill.stock.entry;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.stock.recovery.Closures;
import io.seckill.stock.recovery.Retirement;
import io.seckill.stock.recovery.ShardView;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The shards, what of them sells nothing at present, and one that is given up for good. */
@RestController
final class ShardController {

    private final Closures closures;
    private final Retirement retirement;

    ShardController(Closures closures, Retirement retirement) {
        this.closures = closures;
        this.retirement = retirement;
    }

    /** The shards that sales lie on, but for the numbers of those that were given up. */
    record Shards(List<ShardView> shards, List<Integer> retired) {}

    /** Moves what is not sold there to the other shards, for good. */
    @PostMapping("/admin/shards/{shard}/retire")
    Map<String, Long> retire(@PathVariable String shard) {
        if (!shard.matches("0|[1-9][0-9]{0,8}")) {
            throw new RefusedException(Refusal.BAD_REQUEST, "shard must be its number");
        }
        int number = Integer.parseInt(shard);
        return Map.of("shard", (long) number, "movedUnits", retirement.retire(number));
    }

    @GetMapping("/admin/shards")
    Shards shards() {
        return new Shards(closures.all(), retirement.retired());
    }
}
