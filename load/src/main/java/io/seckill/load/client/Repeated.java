package io.seckill.load.client;

import java.util.function.IntFunction;

/** So many requests, each made from its number, none sent again. */
public record Repeated(int size, IntFunction<byte[]> maker) implements Traffic {

    @Override
    public byte[] request(int number) {
        return maker.apply(number);
    }
}
