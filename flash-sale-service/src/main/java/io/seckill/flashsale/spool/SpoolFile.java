package io.seckill.flashsale.spool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.StringDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the spool; for one thread, in one process: it is locked.
 *
 * <p>A commit is written and synced before it returns. After an error of the disk the file is
 * closed, and whoever has it opens another.
 */
final class SpoolFile implements AutoCloseable {

    static final String NAME = "spool.mv";

    private static final String CANARY = "canary";
    private static final int COMPACT_MS = 200;
    private static final long WORTH_COMPACTING_BYTES = 16 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(SpoolFile.class);

    private final MVStore store;
    private final MVMap<String, String> waiting;
    private final MVMap<String, String> aside;

    private SpoolFile(MVStore store) {
        this.store = store;
        waiting = map("waiting");
        aside = map("damaged");
    }

    private MVMap<String, String> map(String name) {
        return store.openMap(
                name,
                new MVMap.Builder<String, String>()
                        .keyType(StringDataType.INSTANCE)
                        .valueType(StringDataType.INSTANCE));
    }

    /** Throws whatever a reader makes of damaged bytes, {@link NoDiskException}, MVStoreException. */
    static SpoolFile open(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new NoDiskException("cannot be made: " + e, e);
        }
        try {
            return new SpoolFile(new MVStore.Builder()
                    .fileName(folder.resolve(NAME).toString())
                    .autoCommitDisabled()
                    .cacheSize(1)
                    .open());
        } catch (MVStoreException e) {
            if (e.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                throw new NoDiskException("another process has it; each instance has its own", e);
            }
            throw e;
        }
    }

    /** There is no file of this process's. */
    private static final class NoDiskException extends IllegalStateException {
        NoDiskException(String message, Exception cause) {
            super(message, cause);
        }
    }

    /**
     * What is in the file is wrong, and not that the disk takes nothing more. The store says so with
     * an AssertionError where those are on.
     */
    static boolean isDamage(Throwable e) {
        if (e instanceof MVStoreException known) {
            int code = known.getErrorCode();
            return code != DataUtils.ERROR_WRITING_FAILED && code != DataUtils.ERROR_CLOSED;
        }
        return !(e instanceof NoDiskException);
    }

    /** Puts a file that cannot be read out of the way. */
    static void moveAside(Path folder, long nowMs) {
        try {
            Files.move(folder.resolve(NAME), folder.resolve("spool.damaged-" + nowMs));
        } catch (IOException e) {
            throw new IllegalStateException("seckill.spool-dir: " + folder + ": " + e, e);
        }
    }

    /**
     * All that can be read, from both ends up to what cannot. Throws where a part of the file cannot
     * be read at all, and it is to be put aside.
     */
    void read(BiConsumer<String, String> reader) {
        try {
            waiting.forEach(reader);
            aside.sizeAsLong();
        } catch (RuntimeException | AssertionError e) {
            readBackwards(reader);
            throw new IllegalStateException("a part of it cannot be read", e);
        }
    }

    private void readBackwards(BiConsumer<String, String> reader) {
        try {
            for (Cursor<String, String> end = waiting.cursor(null, null, true); end.hasNext(); ) {
                reader.accept(end.next(), end.getValue());
            }
        } catch (RuntimeException | AssertionError e) {
            LOG.debug("{}: this was all of it", NAME, e);
        }
    }

    /** What is kept for a human: not as it was written. */
    void setAside(Collection<String> keys) {
        for (String key : keys) {
            String text = waiting.remove(key);
            if (text != null) {
                aside.put(key, text);
            }
        }
    }

    long asideCount() {
        return aside.sizeAsLong();
    }

    void put(Spooled one) {
        waiting.put(one.key(), one.text());
    }

    void remove(String key) {
        waiting.remove(key);
    }

    /** What is there but not among these goes: of a commit that failed, perhaps after it was done. */
    void keepOnly(Map<String, Spooled> known) {
        Map<String, String> there = new LinkedHashMap<>();
        waiting.forEach(there::put);
        there.keySet().removeAll(known.keySet());
        there.keySet().forEach(waiting::remove);
        known.values().forEach(this::put);
        commit();
    }

    void commit() {
        store.commit();
        store.sync();
    }

    /** Whether what is committed is there and can be removed again. */
    boolean bearsCanary(String word) {
        MVMap<String, String> canary = map(CANARY);
        canary.put(CANARY, word);
        commit();
        boolean isThere = word.equals(canary.get(CANARY));
        canary.remove(CANARY);
        commit();
        return isThere;
    }

    long bytes() {
        return store.getFileStore().size();
    }

    void compact() {
        if (waiting.isEmpty() && bytes() > WORTH_COMPACTING_BYTES) {
            store.compactFile(COMPACT_MS);
        }
    }

    @Override
    public void close() {
        store.closeImmediately();
    }
}
