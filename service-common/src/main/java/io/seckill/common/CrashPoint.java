package io.seckill.common;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A place between two steps of which the second may never come, for whoever tests that: the name
 * says what was done last. Each stands in one place of the code, in the order of this list.
 *
 * <p>Nothing happens there, and it costs the read of one field, until {@link #onReach} says what
 * does; {@link CrashAt} ends the process. Of all threads and objects, as a crash is: hence not a
 * bean.
 */
public enum CrashPoint {
    /** The gate is closed by hand; nothing is decided. */
    RECOVERY_CLOSED,
    /** What the part handed over is left to become orders. */
    RECOVERY_DRAINING,
    /** Epoch and opening are written and not committed. */
    RECOVERY_DECIDING,
    /** They are committed; the shard has not heard of them. */
    RECOVERY_DECIDED,
    /** A part that lost nothing sells again; nobody was told. */
    RECOVERY_GATE_OPEN,
    /** A part that lost something is emptied, but for its outbox. */
    REBUILD_BEGUN,
    /** A page of reservations is on its way; the one before it is in. */
    REBUILD_PAGE_SENT,
    /** All pages are in, the counters are not. */
    REBUILD_FILLED,
    /** The counters are in; the ledger is RECOVERING. */
    REBUILD_ENDED,
    /** The ledger is OPEN, the gate closed. */
    REBUILD_LEDGER_OPEN,
    /** The rebuilt part sells; nobody was told. */
    REBUILD_GATE_OPEN,
    /** The ledger of a part that proved a loss is RECOVERING; nobody was told. */
    LOSS_RECORDED,
    /** A return has its final word from the shard and no row that says so. */
    RETURN_ANSWERED,
    /** Its row is written; it is not counted, its message not acknowledged. */
    RETURN_WRITTEN,
    /** Units have left a row of the ledger for others; nothing is committed. */
    RETIREMENT_MOVING,
    /** That is committed; the next product's units are where they were. */
    RETIREMENT_MOVED,
    /** The retired part is closed; the next product's units are where they were. */
    RETIREMENT_CLOSED,
    /** A shard has the units of a change, or needs them no more; its row says WAITING. */
    CHANGE_TOPPED_UP,
    /** What the reconciler found is mended and not counted. */
    REPAIR_MADE,
    /** An attempt has its shard and an id; nothing is sent. */
    ATTEMPT_MADE,
    /** It was sent and is not answered: whether a unit is taken nobody knows. */
    ATTEMPT_UNANSWERED,
    /** A unit is taken; neither its buyer nor the relay has heard of it. */
    ATTEMPT_TAKEN,
    /** Entries of an outbox are read and nobody has sent them. */
    RELAY_READ,
    /** The broker has them; all of them are in their outboxes. */
    RELAY_CONFIRMED,
    /** The broker has them; those of this product are deleted next, of others perhaps before. */
    RELAY_DELETING,
    /** An attempt from a spool is made, and told where need be; it is still in the spool. */
    SPOOL_MADE,
    /** A batch's orders and messages are written, this row of its ledger not; none is committed. */
    LANDING_WRITTEN,
    /** That row is written, too; none is committed. */
    LANDING_COUNTED,
    /** One by one: an order's units are taken from the ledger, its row is not written. */
    LANDING_TAKEN,
    /** A row of a batch is committed; nobody was told, its message is not acknowledged. */
    LANDING_COMMITTED;

    private static volatile @Nullable Crash crash;

    /** What happens where a point is reached. */
    public interface Crash {

        void at(CrashPoint point, String productId);
    }

    /** From now on, in all threads; null: nothing does. */
    public static void onReach(@Nullable Crash what) {
        crash = what;
    }

    /** The caller has come here with something of this product. */
    public void reached(String productId) {
        Crash what = crash;
        if (what != null) {
            what.at(this, productId);
        }
    }

    /** As in the setting: {@code rebuild.page-sent}. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
    }
}
