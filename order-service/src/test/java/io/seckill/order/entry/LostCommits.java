package io.seckill.order.entry;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.seckill.testkit.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * In front of the database: of some COMMITs, which it makes, nobody hears. Which they are is told
 * by all that was said to the database in their transaction.
 */
final class LostCommits extends TcpProxy {

    private static final String BEGIN = "set autocommit=0"; // as the driver has it
    private static final String COMMIT = "COMMIT";

    private final String url;
    private final AtomicReference<Loss> next = new AtomicReference<>(Loss.NONE);
    private final AtomicInteger lost = new AtomicInteger();

    LostCommits(String url) {
        super(url.replaceAll("^.*//([^/]*)/.*$", "$1"));
        this.url = url;
    }

    /** Once, and whether the connection then stays, silent, or ends. */
    private record Loss(Predicate<String> transaction, boolean isSilent) {

        static final Loss NONE = new Loss(said -> false, true);
    }

    String url() {
        return url.replaceAll("//[^/]*/", "//" + address() + "/");
    }

    /** The client waits for as long as it has patience. */
    void silenceNext(Predicate<String> transaction) {
        next.set(new Loss(transaction, true));
    }

    /** The client hears that the connection has ended, as soon as the database has answered. */
    void cutNext(Predicate<String> transaction) {
        next.set(new Loss(transaction, false));
    }

    /** Since the start. */
    int lost() {
        return lost.get();
    }

    @Override
    protected Talk talk() {
        return new Transactions();
    }

    private final class Transactions extends Talk {

        private final StringBuilder said = new StringBuilder(); // since it began
        private boolean begun;
        private volatile Loss loss = Loss.NONE;

        @Override
        protected void requests(InputStream from, OutputStream to) throws IOException {
            byte[] piece = new byte[65_536];
            for (int size = from.read(piece); size >= 0; size = from.read(piece)) {
                hear(new String(piece, 0, size, ISO_8859_1));
                to.write(Arrays.copyOf(piece, size));
            }
        }

        private void hear(String text) {
            if (text.contains(BEGIN)) {
                said.setLength(0);
                begun = true;
            }
            if (begun) {
                said.append(text);
            }
            if (begun && text.contains(COMMIT)) {
                begun = false;
                lose(said.toString());
            }
        }

        private void lose(String transaction) {
            Loss wanted = next.get();
            if (wanted.transaction().test(transaction) && next.compareAndSet(wanted, Loss.NONE)) {
                loss = wanted;
                lost.incrementAndGet();
            }
        }

        @Override
        protected byte[] reply(byte[] piece) throws IOException {
            if (loss.equals(Loss.NONE)) {
                return piece;
            }
            if (loss.isSilent()) {
                return new byte[0];
            }
            throw new IOException("cut off");
        }
    }
}
