package io.seckill.stock.returns;

import io.seckill.contracts.StockReturn;
import io.seckill.quantity.ReturnOutcome;
import io.seckill.quantity.ReturnOutcome.Word;
import io.seckill.stock.recovery.Losses.Loss;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of a return whose turn it was, as its row says it.
 *
 * @param outcome WAITING, RETIRED, or the final word of the shard
 * @param epoch that of the shard's stock when it said a final word; else null
 * @param loss what its shard proved to have lost by not knowing it
 * @param why it waits; else empty
 */
record Answer(
        StockReturn r,
        End end,
        String outcome,
        @Nullable Integer epoch,
        Optional<Loss> loss,
        String why) {

    /** How a return in hand ended; each has its counter, {@code seckill_…_total}. */
    enum End {
        RETURNED,
        BURNED,
        OLDER,
        RETIRED,
        WAITING,
        REPEATED,
        DROPPED,
        PARKED
    }

    private static final Map<Word, End> FINAL = Map.of(
            Word.RETURNED, End.RETURNED,
            Word.BURNED, End.BURNED,
            Word.OLDER, End.OLDER,
            Word.ALREADY_DONE, End.REPEATED);

    static Answer of(StockReturn r, ReturnOutcome said) {
        End end = FINAL.get(said.word());
        if (end != null) {
            return new Answer(r, end, said.word().name(), said.epoch(), Optional.empty(), "");
        }
        Optional<Loss> loss = said.word() == Word.LOST
                ? Optional.of(new Loss(r.productId(), r.shard(), said.epoch()))
                : Optional.empty();
        return waits(r, loss, said.word() + " for " + r.productId());
    }

    static Answer waits(StockReturn r, String why) {
        return waits(r, Optional.empty(), why);
    }

    /**
     * A word of an epoch that is over counts for nothing: whoever said it may be no master any more,
     * or have lost it since. Whoever has the epoch now is asked again, and gives back once.
     */
    Answer in(int ledgerEpoch) {
        return epoch == null || epoch >= ledgerEpoch
                ? this
                : waits(
                        r,
                        outcome + " in epoch " + epoch + " of " + r.productId() + ", over by now");
    }

    private static Answer waits(StockReturn r, Optional<Loss> loss, String why) {
        return new Answer(r, End.WAITING, End.WAITING.name(), null, loss, why);
    }

    /** A shard that never comes back is asked for nothing: its units went to others. */
    static Answer retired(StockReturn r) {
        return new Answer(r, End.RETIRED, End.RETIRED.name(), null, Optional.empty(), "");
    }
}
