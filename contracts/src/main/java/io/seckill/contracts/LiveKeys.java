package io.seckill.contracts;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The keys of a key file as it is now, so that keys are rotated without a restart.
 *
 * <p>Who asks for the keys looks at the file, at most once a second; who asks meanwhile waits, for
 * the keys of an idle service may be old. A file that cannot be used
 * stops the start; later the last good keys stay, and a line is logged. A new first key verifies at
 * once and signs after {@link #SETTLE_MS}, when every other reader knows it too; it signs at once
 * where the one before is gone.
 */
public final class LiveKeys implements Supplier<List<TokenKeyFile.Key>> {

    static final long LOOK_MS = 1_000;
    static final long SETTLE_MS = 3_000;

    private static final Logger LOG = System.getLogger(LiveKeys.class.getName());

    private final String setting;
    private final Path file;
    private final Clock clock;

    /** Both are written by whoever looks; the time last, so that who reads it knows the keys. */
    private volatile Known known;

    private volatile long lookedAtMs;

    /**
     * @param text what the file held when it was looked at last, good or not
     * @param keys of its last good content, the one that signs now first
     * @param first the one that is first in the file, and signs once that has settled
     * @param sinceMs when these keys were found
     */
    private record Known(
            String text, List<TokenKeyFile.Key> keys, TokenKeyFile.Key first, long sinceMs) {}

    /** Throws as {@link TokenKeyFile#read} does. */
    public LiveKeys(String setting, Path file, Clock clock) {
        this.setting = setting;
        this.file = file;
        this.clock = clock;
        List<TokenKeyFile.Key> keys = TokenKeyFile.read(setting, file);
        long nowMs = clock.millis();
        known = new Known("", keys, keys.get(0), nowMs);
        lookedAtMs = nowMs - LOOK_MS;
    }

    /** All keys, the one that signs first. The same list until something changes. */
    @Override
    public List<TokenKeyFile.Key> get() {
        long nowMs = clock.millis();
        if (isDue(nowMs)) {
            lookOnce(nowMs);
        }
        return known.keys();
    }

    private boolean isDue(long nowMs) {
        return Math.abs(nowMs - lookedAtMs) >= LOOK_MS;
    }

    private synchronized void lookOnce(long nowMs) {
        if (isDue(nowMs)) {
            look(nowMs);
            lookedAtMs = nowMs;
        }
    }

    private void look(long nowMs) {
        Known last = known;
        String text = read();
        if (!text.equals(last.text())) {
            known = changed(last, text, nowMs);
        } else if (Math.abs(nowMs - last.sinceMs()) >= SETTLE_MS
                && !last.keys().get(0).equals(last.first())) {
            known = new Known(text, first(last.first(), last.keys()), last.first(), last.sinceMs());
        }
    }

    private Known changed(Known last, String text, long nowMs) {
        try {
            List<TokenKeyFile.Key> keys =
                    TokenKeyFile.parse(text.getBytes(StandardCharsets.ISO_8859_1));
            TokenKeyFile.Key signed = last.keys().get(0);
            TokenKeyFile.Key signs = keys.contains(signed) ? signed : keys.get(0);
            return new Known(text, first(signs, keys), keys.get(0), nowMs);
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.WARNING,
                    "{0}: {1}: {2}; the last good keys stay",
                    setting,
                    file,
                    e.getMessage());
            return new Known(text, last.keys(), last.first(), last.sinceMs());
        }
    }

    /** Empty when it cannot be read, which holds no key either. */
    private String read() {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private static List<TokenKeyFile.Key> first(
            TokenKeyFile.Key first, List<TokenKeyFile.Key> keys) {
        List<TokenKeyFile.Key> sorted = new ArrayList<>(keys);
        sorted.remove(first);
        sorted.add(0, first);
        return List.copyOf(sorted);
    }
}
