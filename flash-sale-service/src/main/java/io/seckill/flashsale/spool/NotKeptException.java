package io.seckill.flashsale.spool;

/** A wish is not in the spool; or, where the disk failed while it was written, perhaps. */
final class NotKeptException extends RuntimeException {

    private final boolean isUnknown;

    NotKeptException(boolean isUnknown) {
        super("not kept", null, false, false);
        this.isUnknown = isUnknown;
    }

    boolean isUnknown() {
        return isUnknown;
    }
}
