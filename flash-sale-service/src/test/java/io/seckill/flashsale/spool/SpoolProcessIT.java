package io.seckill.flashsale.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.flashsale.ProcessHop;
import io.seckill.flashsale.spool.Spool.Bounds;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.ServiceProcess;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged service is killed, stopped and started again with what it has in its spool; beside
 * the one of the other tests, which has one of its own.
 */
class SpoolProcessIT extends ProcessHop {

    private static final int CLIENTS = 8;
    private static final int MANY = 20_000;

    @TempDir
    private Path folder;

    private boolean down;

    @AfterEach
    void backAgain() {
        allBack();
    }

    @Test
    void killed_between_a_unit_and_the_end_of_its_record_it_takes_no_second_one() throws Exception {
        sell(20, 20, 20);
        List<String> users = users(9);
        List<String> ids;
        try (ServiceProcess killed = start("SECKILL_CRASH_AT", "spool.made@" + product + ":4")) {
            allDownFor(killed);
            ids = users.stream().map(user -> pending(killed, user)).toList();
            allBack();
            assertThat(killed.awaitEnd()).isEqualTo(137);
            assertThat(killed.output()).contains("the process ends at spool.made");
        }
        assertThat(holders().size() + left().size())
                .as("cut off in the middle")
                .isGreaterThan(users.size());

        try (ServiceProcess again = start()) {
            await().atMost(SOON).until(() -> gauge(again, "entries") == 0);
        }
        assertThat(available()).isEqualTo(60 - users.size());
        assertThat(holders()).containsExactlyInAnyOrderElementsOf(users);
        for (int i = 0; i < users.size(); i++) {
            assertThat(books(shards.get(i % 3)).buyers().get(users.get(i)))
                    .as("at home under the id that was told")
                    .isIn(ids.get(i), null);
            assertThat(result(users.get(i)).body()).isEqualTo(Map.of("status", "PENDING"));
        }
    }

    @Test
    @LongRun
    void stopped_while_attempts_wait_it_makes_them_after_the_start() throws Exception {
        sell(20, 20, 20);
        List<String> users = users(9);
        try (ServiceProcess stopped = start()) {
            allDownFor(stopped);
            users.forEach(user -> pending(stopped, user));
            stop(stopped);
        }
        assertThat(left()).hasSize(users.size());
        allBack();
        try (ServiceProcess again = start()) {
            await().atMost(SOON).until(() -> gauge(again, "entries") == 0);
        }
        assertThat(holders()).containsExactlyInAnyOrderElementsOf(users);
        assertThat(available()).isEqualTo(60 - users.size());
    }

    @Test
    void stopped_while_attempts_come_it_loses_none_that_was_told_pending() throws Exception {
        sell(MANY, MANY, MANY);
        List<String> told = new ArrayList<>();
        try (ServiceProcess stopped = start()) {
            allDownFor(stopped);
            told.addAll(pendingUntilStopped(stopped, users(MANY)));
        }
        assertThat(told).as("stopped in the middle").hasSizeBetween(200, MANY - 1);
        assertThat(left()).containsAll(told);
        allBack();
        try (ServiceProcess again = start()) {
            await().atMost(SOON).until(() -> gauge(again, "entries") == 0);
        }
        assertThat(holders()).doesNotHaveDuplicates().containsAll(told);
    }

    /** Who was told so; from the two-hundredth on it is being stopped. */
    private List<String> pendingUntilStopped(ServiceProcess service, List<String> users) {
        Queue<String> coming = new ConcurrentLinkedQueue<>(users);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<CompletableFuture<Void>> all = IntStream.range(0, CLIENTS)
                    .mapToObj(i ->
                            CompletableFuture.runAsync(() -> ask(service, coming, told), clients))
                    .toList();
            await().atMost(SOON).until(() -> told.size() >= 200);
            stop(service);
            all.forEach(each -> each.exceptionally(itIsGone -> null).join());
        } finally {
            clients.shutdown();
        }
        return List.copyOf(told);
    }

    private void ask(ServiceProcess service, Queue<String> coming, Queue<String> told) {
        for (String user = coming.poll(); user != null; user = coming.poll()) {
            if (attempt(service, user).status() == 202) {
                told.add(user);
            }
        }
    }

    /** Nobody asks it for anything meanwhile: its own canary finds both. */
    @Test
    @LongRun
    void canary_closes_the_spool_while_the_disk_is_full_and_opens_it_again() throws Exception {
        sell(20, 20, 20);
        try (SmallDisk disk = new SmallDisk(folder);
                ServiceProcess service = start("SECKILL_SPOOL_CANARY", "1s")) {
            await().pollDelay(Duration.ofSeconds(5))
                    .atMost(SOON)
                    .until(() -> gauge(service, "canary_age_seconds") < 4);
            disk.fill();
            await().atMost(SOON).until(() -> gauge(service, "sound") == 0);
            allDownFor(service);
            Answer busy = attempt(service, userAt(0, 1));
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.header(EdgeHeaders.CODE)).isEqualTo("BUSY");
            assertThat(service.health()).as("all else goes on").isEqualTo(200);

            disk.free();
            await().atMost(SOON).until(() -> gauge(service, "sound") == 1);
            pending(service, userAt(0, 1));
            allBack();
            await().atMost(SOON).until(() -> gauge(service, "entries") == 0);
            assertThat(holders()).containsExactly(userAt(0, 1));
            stop(service);
        }
    }

    private ServiceProcess start(String... setting) {
        return start(folder, setting.length == 0 ? Map.of() : Map.of(setting[0], setting[1]));
    }

    /** SIGTERM, as from whoever stops a service; returns when it has ended. */
    private static void stop(ServiceProcess service) {
        ProcessHandle.of(service.pid()).orElseThrow().destroy();
        service.awaitEnd();
    }

    private String pending(ServiceProcess service, String user) {
        Answer answer = attempt(service, user);
        assertThat(answer.status()).as(answer.response().body()).isEqualTo(202);
        assertThat(answer.text("code")).isEqualTo("PENDING");
        return answer.text("reservationId");
    }

    private double gauge(ServiceProcess service, String name) {
        return send(HttpRequest.newBuilder(service.uri("/actuator/prometheus")).GET())
                .response()
                .body()
                .lines()
                .filter(line -> line.startsWith("seckill_spool_" + name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** Whose attempts are on the disk that a process has left. */
    private List<String> left() {
        Counters counters = new Counters(new SimpleMeterRegistry(), "flash-sale");
        try (Spool spool = new Spool(
                folder, Bounds.DEFAULT, Duration.ofMinutes(1), counters, Clock.systemUTC())) {
            return spool.copy().all().stream().map(Spooled::userId).toList();
        }
    }

    /** And this service has noticed: what it sent to a dead shard it would call unknown. */
    private void allDownFor(ServiceProcess service) {
        SHARDS.forEach(RedisProcess::kill);
        down = true;
        await().atMost(SOON).until(() -> ask(service, "result", "nobody").status() == 503);
    }

    private void allBack() {
        if (down) {
            IntStream.range(0, SHARDS.size()).forEach(this::takeBack);
            down = false;
        }
    }
}
