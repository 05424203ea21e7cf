package io.seckill.order.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.testkit.ServiceProcess;
import io.seckill.testkit.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The service as a process that ends at one instant of a batch, as kill -9 ends it. */
@EnabledIfSystemProperty(named = "seckill.long", matches = "true")
class HaltIT {

    private static final int BATCH = 64; // messages that are sent together are one delivery
    private static final Duration SOON = Duration.ofSeconds(60);

    /** And how much of the batch the database has then. */
    private enum At {
        INSERT(0),
        BEFORE_COMMIT(0),
        AFTER_COMMIT(BATCH);

        private final long kept;

        At(long kept) {
            this.kept = kept;
        }
    }

    @ParameterizedTest
    @EnumSource(At.class)
    void batch_in_which_the_process_ended_is_landed_once_by_the_next(At instant) throws Exception {
        Map<String, String> limits = Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");
        try (AroundTheService around = new AroundTheService(BATCH, limits);
                Executioner proxy = new Executioner(around.database.url(), instant)) {
            around.send(batch());
            try (ServiceProcess service = around.startService(proxy.url())) {
                proxy.victim.set(service.pid());
                proxy.open(); // until now it had no database: the delivery waits whole
                ProcessHandle process = ProcessHandle.of(service.pid()).orElseThrow();
                await().atMost(SOON).until(() -> !process.isAlive());
                await().atMost(SOON).until(() -> around.orders() == instant.kept);
                assertThat(around.count("outbox")).isEqualTo(instant.kept);

                service.kill();
                service.start();
                assertEachOnce(around);
                assertThat(service.health()).isEqualTo(200);
            }
        }
    }

    private static void assertEachOnce(AroundTheService around) {
        await().atMost(SOON).until(() -> around.orders() == BATCH);
        await().atMost(SOON).until(() -> around.count("outbox") == 0);
        assertThat(around.count("orders WHERE status = 'UNPAID'")).isEqualTo(BATCH);
        assertThat(around.sql.queryForMap("SELECT sold, last_seq FROM shard_ledger"))
                .isEqualTo(Map.of("sold", (long) BATCH, "last_seq", (long) BATCH));
        assertThat(around.count("parked_message")).isZero();
    }

    private static List<Reservation> batch() {
        return IntStream.rangeClosed(1, BATCH)
                .mapToObj(AroundTheService::reservation)
                .toList();
    }

    /** In front of the database: ends whoever speaks to it, once. */
    private static final class Executioner extends TcpProxy {

        private static final int LARGE = 2_000; // bytes of a statement that writes a batch

        private final String url;
        private final At instant;
        final AtomicLong victim = new AtomicLong(); // 0: it was ended

        Executioner(String url, At instant) {
            super(url.replaceAll("^.*//([^/]*)/.*$", "$1"));
            this.url = url;
            this.instant = instant;
        }

        String url() {
            return url.replaceAll("//[^/]*/", "//" + address() + "/");
        }

        @Override
        protected Talk talk() {
            return new Talk() {
                private boolean large;
                private volatile boolean committing;

                @Override
                protected void requests(InputStream from, OutputStream to) throws IOException {
                    byte[] piece = new byte[65_536];
                    for (int size = from.read(piece); size >= 0; size = from.read(piece)) {
                        large |= size > LARGE;
                        boolean commits = new String(piece, 0, size, US_ASCII).contains("COMMIT");
                        if (large && commits && instant == At.BEFORE_COMMIT) {
                            end();
                            return;
                        }
                        committing |= large && commits;
                        to.write(Arrays.copyOf(piece, size));
                        if (large && instant == At.INSERT) {
                            end();
                        }
                        large &= !commits;
                    }
                }

                @Override
                protected byte[] reply(byte[] piece) {
                    if (committing && instant == At.AFTER_COMMIT) {
                        end();
                    }
                    return piece;
                }
            };
        }

        private void end() {
            long pid = victim.getAndSet(0);
            if (pid != 0) {
                AroundTheService.signal("-KILL", pid);
            }
        }
    }
}
