package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.flashsale.Hop;
import io.seckill.quantity.Mark;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What monitoring sees of the shards and the hand-over. */
class AttemptGaugesIT extends Hop {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int CALLS = 200; // a batch has 128

    @Test
    void shard_that_hangs_is_seen_to_be_left_out_with_what_is_on_its_way_to_it() {
        sell(5, 5, 5);
        deduct(userAt(1, 1));
        awaitPrinted("shard_left_out", "0[.]0");
        awaitPrinted("shard_clock_offset_seconds", "-?0[.]0[0-9]*|-?[0-9.]+E-[0-9]+");
        signal(SHARDS.get(1), "STOP");
        CompletableFuture<Answer> asked =
                CompletableFuture.supplyAsync(() -> deductOnce(userAt(1, 2), "1"));
        try {
            awaitPrinted("shard_attempts", "1[.]0");
            awaitPrinted("shard_left_out", "1[.]0");
        } finally {
            signal(SHARDS.get(1), "CONT");
        }
        assertThat(asked).succeedsWithin(SOON);
        awaitPrinted("shard_attempts", "0[.]0");
        awaitPrinted("shard_left_out", "0[.]0");
        awaitPrinted("shard_waiting_calls", "0[.]0");
        assertThat(printed())
                .containsPattern("seckill_attempt_seconds_bucket[{].*le=\"1[.]0\".* [1-9]");
    }

    /** More than a batch, which is silent: for 200 ms, for then the shard is left out. */
    @Test
    void calls_that_wait_for_a_shard_that_hangs_are_seen() {
        sell(5, 5, 5);
        await().atMost(SOON)
                .until(() ->
                        printedInSilence().matches(line("shard_waiting_calls", "[1-9][0-9]*[.]0")));
        awaitPrinted("shard_waiting_calls", "0[.]0");
    }

    private String printedInSilence() {
        awaitPrinted("shard_left_out", "0[.]0");
        List<CompletableFuture<Mark>> calls = new ArrayList<>();
        signal(SHARDS.get(1), "STOP");
        try {
            while (calls.size() < CALLS) {
                calls.add(shards.get(1).markAsync(product, "alice"));
            }
            return printed();
        } finally {
            signal(SHARDS.get(1), "CONT");
            calls.forEach(call -> call.exceptionally(silence -> null).join());
        }
    }

    @Test
    void age_and_number_of_what_the_broker_has_not_taken_are_seen() {
        sell(5, 5, 5);
        awaitPrinted("outbox_entries", "0[.]0");
        awaitPrinted("outbox_age_seconds", "0[.]0");
        BROKER.kill();
        try {
            deduct(userAt(1, 1));
            deduct(userAt(1, 2));
            awaitPrinted("outbox_entries", "2[.]0");
            awaitPrinted("outbox_age_seconds", "[2-9][.][0-9]+");
        } finally {
            BROKER.start();
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> printed().matches(line("outbox_age_seconds", "0[.]0")));
        awaitPrinted("outbox_entries", "0[.]0");
    }

    private void awaitPrinted(String gauge, String value) {
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(printed()).matches(line(gauge, value)));
    }

    /** Of shard 1, somewhere in what is printed. */
    private static String line(String gauge, String value) {
        return "(?s).*seckill_" + gauge + "[{]hop=\"flash-sale\",shard=\"1\"[}] (" + value
                + ")\n.*";
    }

    private String printed() {
        return send(HttpRequest.newBuilder(uri("/actuator/prometheus")))
                .response()
                .body();
    }
}
