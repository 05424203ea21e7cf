package io.seckill.rocketmq;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.rocketmq.logging.org.slf4j.Marker;
import org.apache.rocketmq.logging.org.slf4j.event.Level;
import org.apache.rocketmq.logging.org.slf4j.helpers.LegacyAbstractLogger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.MessageFormatter;

/**
 * One logger of the client; {@code RocketmqRemoting} and its like come under the package too.
 *
 * <p>While the broker is away each queue complains every few seconds, with a stack trace (seen: 6
 * a second for 8 queues). So one text is written once a minute, and of the failure only what
 * it says. Texts are remembered for {@link #MAX_TEXTS} in the order of their last use.
 */
final class ClientLogger extends LegacyAbstractLogger {

    static final String ROOT = "org.apache.rocketmq";
    static final long AGAIN_NS = TimeUnit.MINUTES.toNanos(1);
    static final int MAX_TEXTS = 64;

    private final transient Logger log;
    private final transient LongSupplier nanoTime;
    private final transient Map<String, Long> written = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_TEXTS;
        }
    };

    ClientLogger(String name) {
        this(name, System::nanoTime);
    }

    ClientLogger(String name, LongSupplier nanoTime) {
        this.name = name;
        this.nanoTime = nanoTime;
        log = LoggerFactory.getLogger(name.startsWith(ROOT) ? name : ROOT + "." + name);
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return ClientLogger.class.getName();
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String text, Object[] values, @Nullable Throwable cause) {
        if (isDue(text)) {
            String what = MessageFormatter.basicArrayFormat(text, values);
            log.atLevel(org.slf4j.event.Level.intToLevel(level.toInt()))
                    .log(cause == null ? what : what + ": " + firstLine(cause));
        }
    }

    private synchronized boolean isDue(String text) {
        long nowNs = nanoTime.getAsLong();
        Long lastNs = written.get(text);
        boolean due = lastNs == null || nowNs - lastNs >= AGAIN_NS;
        if (due) {
            written.put(text, nowNs);
        }
        return due;
    }

    private static String firstLine(Throwable cause) {
        return cause.toString().lines().findFirst().orElseThrow();
    }

    @Override
    public boolean isTraceEnabled() {
        return log.isTraceEnabled();
    }

    @Override
    public boolean isDebugEnabled() {
        return log.isDebugEnabled();
    }

    @Override
    public boolean isInfoEnabled() {
        return log.isInfoEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
        return log.isWarnEnabled();
    }

    @Override
    public boolean isErrorEnabled() {
        return log.isErrorEnabled();
    }
}
