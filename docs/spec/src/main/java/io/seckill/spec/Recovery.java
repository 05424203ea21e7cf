package io.seckill.spec;

import java.util.List;

/** What one recoverer remembers between two steps; a crash forgets it. */
final class Recovery {

    /** The next step. */
    enum At {
        READ,
        DECIDE,
        OPEN_SOUND,
        BEGIN,
        PAGES,
        FINISH,
        LEDGER_OPEN,
        OPEN_BUILT,
        END
    }

    final int shard;
    /** Of the process it saw first. */
    final int identity;

    At at = At.READ;
    Stock seen = new Stock();
    int epoch;
    int allocated;
    List<Taken> live = List.of();
    int page;

    Recovery(int shard, int identity) {
        this.shard = shard;
        this.identity = identity;
    }

    Recovery(Recovery from) {
        this(from.shard, from.identity);
        at = from.at;
        seen = from.seen;
        epoch = from.epoch;
        allocated = from.allocated;
        live = from.live;
        page = from.page;
    }

    int liveUnits() {
        return live.stream().mapToInt(Taken::units).sum();
    }

    @Override
    public String toString() {
        return shard + " of " + identity + at + epoch + " " + allocated + live + page + seen;
    }
}
