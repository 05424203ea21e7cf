package io.seckill.spec;

/** What the protocol rests on. Each can be left out, and then a history breaks the books. */
public enum Rule {
    GATE("a shard sells and takes back only while open_for is the identity of its process"),
    NEW_IDENTITY("the identity is master_replid, which a fail-back changes too (run_id stays)"),
    SAME_IDENTITY("a script of recovery refuses where the identity is not the one its caller saw"),
    SOUND_IS_NEW_EPOCH("a sound opening is a new epoch as well, with the seq it kept"),
    KEPT_SEQ("a reservation becomes an order only if each later opening kept its seq"),
    OPENINGS_LAST("the openings are read under the ledger row's lock, not before"),
    SEQ("sound: seq is not below the ledger's last_seq"),
    RETURNED("sound: returned is not below what returns of this life of the shard recorded"),
    ALREADY_DONE("sound: a return answered ALREADY_DONE counts as recorded"),
    SINCE_REBUILT(
            "sound: returns are counted since the latest rebuild, over all openings after it"),
    INIT("sound: init is what the ledger allocated"),
    LIVE_LAST("a rebuild reads the live orders under the ledger row's lock, not before"),
    BUILDING("a rebuild's scripts act only for the epoch that is being built"),
    STOCK_LAST("a rebuild writes the stock after all of its reservations"),
    OUTBOX_STAYS("a rebuild never deletes the outbox"),
    OPEN_MINE("a ledger row becomes OPEN only in the epoch of the rebuild that opens it"),
    RECOVERING("whoever has proof of a loss sets RECOVERING, and only a rebuild ends that"),
    FULL_IS_PROOF("a full ledger is proof of a loss"),
    EPOCHS_DIFFER("an open shard whose epoch is not the ledger's is recovered"),
    LOST_WAITS("a return of a reservation that should be there waits for the rebuild"),
    OLDER("a return older than the rebuild is done: the rebuild counted its unit"),
    FINAL_EPOCH("a return carries the ledger's epoch of its order's end, not its reservation's"),
    EPOCH_LAST("that epoch is read under the ledger row's lock, not before"),
    ANSWER_OF_NOW("a shard's word is final only in the epoch that the ledger has"),
    PARKED_HAS_ROW("a reservation that can be no order gets a rejected row and a return"),
    REWRITE("reconciler: a reservation without an order goes to the outbox again"),
    RESEND("reconciler: a reservation with a final order is given back again"),
    OWED("reconciler: a final order without a return gets one"),
    LIVE_IS_KEPT("reconciler: a live order without its reservation is proof of a loss"),
    INIT_IS_ALLOCATED("reconciler: init that is not allocated is proof of a loss"),
    CHANGE_EPOCH("a change of stock is applied in the epoch of its row, counted by later ones"),
    RETIRE_AT_ONCE("retiring a shard and topping up the others is one transaction"),
    RETIRE_AGAIN("a retired shard's units are freed again as its orders close"),
    RETIRED_ENDS("a return of a retired shard ends without asking it");

    final String text;

    Rule(String text) {
        this.text = text;
    }
}
