package io.seckill.quantity;

/**
 * What a shard answered to a return or a burn.
 *
 * @param epoch that of its stock; 0 when it is GATED or NOT_LOADED
 */
public record ReturnOutcome(Word word, int epoch) {

    /** give_back.lua says what each means. */
    public enum Word {
        RETURNED,
        BURNED,
        ALREADY_DONE,
        OLDER,
        NEWER,
        LOST,
        GATED,
        NOT_LOADED
    }
}
