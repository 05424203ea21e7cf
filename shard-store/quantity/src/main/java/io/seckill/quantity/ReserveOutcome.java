package io.seckill.quantity;

/**
 * What a shard answered to a {@link Reserve}.
 *
 * @param detail ALREADY_BOUGHT: the reservation held; SOLD_OUT: units left; TAKEN: 0 of the last
 *     one; else empty
 * @param mayHaveGuests users whose home is another shard may hold units in this one
 */
public record ReserveOutcome(Word word, String detail, boolean mayHaveGuests) {

    /** reserve.lua says what each means. */
    public enum Word {
        TAKEN,
        GONE,
        DEADLINE_PASSED,
        NOT_LOADED,
        GATED,
        ALREADY_BOUGHT,
        SOLD_OUT
    }

    /** Nothing left at all, as against too little for this quantity. */
    public boolean isEmpty() {
        return (word == Word.SOLD_OUT || word == Word.TAKEN) && "0".equals(detail);
    }
}
