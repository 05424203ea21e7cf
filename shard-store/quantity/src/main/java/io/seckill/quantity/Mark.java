package io.seckill.quantity;

import java.util.Optional;

/**
 * What a shard answered to whether a user holds units in it.
 *
 * @param isGated it may know too little: the others say nothing
 * @param reservationId the one held
 * @param mayHaveGuests users whose home is another shard may hold units in this one
 * @param isEmpty it holds no unit for sale
 * @param ended how the last one ended that was held, where none is now; empty also when nobody told
 */
public record Mark(
        boolean isGated,
        Optional<String> reservationId,
        boolean mayHaveGuests,
        boolean isEmpty,
        Optional<Ended> ended) {}
