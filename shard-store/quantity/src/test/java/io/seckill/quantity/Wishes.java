package io.seckill.quantity;

import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;

/** Commands of the tests: product 518, epoch 1, reservation ids counted from 1. */
final class Wishes {

    static final String PRODUCT = "518";
    static final int EPOCH = 1;

    private Wishes() {}

    static Reserve reserve(int id, String user, int quantity) {
        return reserve(id, user, quantity, System.currentTimeMillis() + 10_000);
    }

    static Reserve reserve(int id, String user, int quantity, long deadlineMs) {
        return new Reserve(id(id), PRODUCT, user, quantity, false, deadlineMs);
    }

    static StockReturn giveBack(int id, String user, Action action) {
        return giveBack(id, user, action, EPOCH);
    }

    static StockReturn giveBack(int id, String user, Action action, int epoch) {
        return new StockReturn(id(id), PRODUCT, user, 1, 0, epoch, action, "TEST");
    }

    static String id(int id) {
        return "%032x".formatted(id);
    }
}
