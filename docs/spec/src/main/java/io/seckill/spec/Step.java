package io.seckill.spec;

/**
 * One thing that happens. Process 1 is the old master of a split; n is which recoverer, how many
 * writes are lost, or 1 for an answer that is.
 */
record Step(Kind kind, int shard, int process, String id, int n) {

    /** False when it makes no sense in this world, as in a shortened history. */
    boolean happens(World w) {
        boolean can = kind.in(w).contains(this);
        if (can) {
            kind.action.run(w, this);
        }
        return can;
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')
                + (id.isEmpty() ? "" : " " + id) + " shard " + shard
                + (process > 0 ? " (old master)" : "") + (n > 0 ? " #" + n : "");
    }
}
