package io.seckill.stock.query.planted;

import io.seckill.stock.entry.planted.Door;

/** Breaks: a room knows the entry. */
final class AsksTheEntry {

    final Door door = new Door();
}
