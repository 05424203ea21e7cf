package io.seckill.contracts;

/** How much the platform takes on at most (bounds.json, which Lua reads too). */
public final class Bounds {

    private record Table(int sales) {}

    /** Sales at once, those that have ended too; stock-service refuses one more. */
    public static final int SALES = Json.table("bounds.json", Table.class).sales();

    private Bounds() {}
}
