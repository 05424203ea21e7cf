package io.seckill.common;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at a crash point as kill -9 would: no hook runs, nothing is flushed or closed.
 * For tests only; nothing is to be gained by it in a sale.
 *
 * <p>The setting is {@code POINT[@PRODUCT][:N]}: at the N-th time (1) that any thread gets there,
 * with that product (any).
 */
public final class CrashAt implements CrashPoint.Crash {

    private static final Logger LOG = LoggerFactory.getLogger(CrashAt.class);
    private static final Pattern SETTING = Pattern.compile(
            "(?<point>[a-z.-]+)(@(?<product>\\w{1,18}))?(:(?<times>[1-9]\\d{0,8}))?");
    private static final int STATUS = 137; // of a process that was killed

    private final CrashPoint point;
    private final @Nullable String productId; // null: any
    private final Runnable end;
    private long left; // times until it ends; of who has the lock

    private CrashAt(CrashPoint point, @Nullable String productId, long times, Runnable end) {
        this.point = point;
        this.productId = productId;
        this.left = times;
        this.end = end;
    }

    /**
     * Has this process end there; an empty text changes nothing. Throws IllegalArgumentException,
     * which names the key, for anything that is no such setting.
     */
    public static void set(String key, String text) {
        if (!text.isEmpty()) {
            CrashPoint.onReach(of(key, text, () -> Runtime.getRuntime().halt(STATUS)));
            LOG.warn("this process will end at {}, because {} says so", text, key);
        }
    }

    static CrashAt of(String key, String text, Runnable end) {
        Matcher setting = SETTING.matcher(text);
        if (!setting.matches()) {
            throw new IllegalArgumentException(key + " '" + text + "' is not POINT[@PRODUCT][:N]");
        }
        String times = setting.group("times");
        return new CrashAt(
                named(key, setting.group("point")),
                setting.group("product"),
                times == null ? 1 : Long.parseLong(times),
                end);
    }

    private static CrashPoint named(String key, String title) {
        return Arrays.stream(CrashPoint.values())
                .filter(each -> each.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        key + ": there is no crash point '" + title + "', but " + all()));
    }

    private static String all() {
        return Arrays.stream(CrashPoint.values())
                .map(CrashPoint::title)
                .collect(Collectors.joining(" "));
    }

    /** Who comes while another ends the process gets no further. */
    @Override
    public synchronized void at(CrashPoint reached, String ofProduct) {
        boolean isMeant = reached == point && (productId == null || productId.equals(ofProduct));
        if (isMeant && --left == 0) {
            // not by the log, whose thread would end with the process
            System.err.println("the process ends at " + point.title() + ", product " + ofProduct);
            end.run();
        }
    }
}
