package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Buyers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A return whose shard cannot take it waits in its row; nothing else waits with it. */
class WaitingReturnsIT extends ReturnsCase {

    /** More batches than the consumer has threads: not one of them may be kept. */
    @Test
    void returns_of_a_dead_shard_wait_for_it_and_others_do_not_wait() {
        Buyers buyers = sale("311", 24);
        List<String> dead = new ArrayList<>();
        List<Stream<String>> batches = new ArrayList<>();
        List<String> alive = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> ids = List.of(
                    buyers.take(0, "a-" + i, 1),
                    buyers.take(1, "b-" + i, 1),
                    buyers.take(2, "c-" + i, 1));
            dead.add(ids.get(1));
            alive.add(ids.get(2));
            batches.add(Stream.of(
                    buyers.message(ids.get(0), 0, "a-" + i, Action.RETURN),
                    buyers.message(ids.get(1), 1, "b-" + i, Action.RETURN),
                    buyers.message(ids.get(2), 2, "c-" + i, Action.RETURN)));
        }
        stock.shards.get(1).kill();
        try {
            for (int i = 0; i < 8; i++) {
                send(batches.get(i).toList());
                awaitOutcome(alive.get(i), "RETURNED");
                awaitOutcome(dead.get(i), "WAITING");
            }
            assertThat(returned("311", 0)).isEqualTo("8");
            assertThat(returned("311", 2)).isEqualTo("8");
            assertThat(stock.health().body().get("status")).isEqualTo("UP");
        } finally {
            stock.shards.get(1).start();
        }
        dead.forEach(id -> awaitOutcome(id, "RETURNED"));
        assertThat(stock.available("311")).containsExactly("8", "8", "8");
        assertThat(returned("311", 1)).isEqualTo("8");
    }

    /** Longer than a round, so that those that stay do not keep the line to themselves. */
    @Test
    void returns_of_a_shard_that_lost_the_product_wait_until_its_rebuild_has_counted_them() {
        int many = ReturnService.MAX_PER_ROUND + 1;
        Buyers lost = sale("312", 3 * many);
        List<StockReturn> line = line(lost, 0, many);
        Buyers kept = sale("313", 3);
        String other = kept.take(0, "bob", 1);
        stock.withoutRecovery(() -> {
            try (Jedis shard = stock.shards.get(0).connect()) {
                shard.del(RedisKeys.stock("312"));
            }
            handle(line);
            stock.shards.get(0).kill();
            try {
                handle(List.of(kept.giveBack(other, 0, "bob", Action.RETURN)));
                assertThat(outcome(other)).containsExactly("WAITING");
            } finally {
                stock.shards.get(0).start();
            }
            assertThat(waiting("312")).isEqualTo(many);
            assertThat(pendingReturns("312")).isEqualTo(many);
        });

        awaitOutcome(other, "RETURNED");
        await().atMost(Duration.ofSeconds(20)).until(() -> waiting("312") == 0);
        assertThat(outcome(line.get(0).reservationId())).containsExactly("OLDER");
        assertThat(stock.available("312").get(0)).isEqualTo(Integer.toString(many));
        assertThat(state("312", 0)).isEqualTo("OPEN");
    }

    private static List<StockReturn> line(Buyers buyers, int shard, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> buyers.giveBack(
                        buyers.take(shard, "u-" + i, 1), shard, "u-" + i, Action.RETURN))
                .toList();
    }

    @Test
    void returns_wait_at_a_closed_gate_and_are_done_within_five_seconds_once_it_is_open() {
        Buyers buyers = sale("316", 6_000);
        List<StockReturn> line = line(buyers, 1, 2_000);
        stock.withoutRecovery(() -> {
            try (Jedis shard = stock.shards.get(1).connect()) {
                shard.hdel(RedisKeys.stock("316"), "open_for");
            }
            for (int from = 0; from < line.size(); from += 250) {
                handle(line.subList(from, from + 250));
            }
            assertThat(waiting("316")).isEqualTo(2_000);
            assertThat(returned("316", 1)).isEqualTo("0");
        });

        await().atMost(Duration.ofSeconds(5)).until(() -> waiting("316") == 0);
        assertThat(returned("316", 1)).isEqualTo("2000");
    }

    @Test
    void damaged_reservation_keeps_none_but_itself_waiting() {
        Buyers buyers = sale("314", 9);
        String bad = buyers.take(0, "alice", 1);
        String good = buyers.take(0, "bob", 1);
        String whole;
        try (Jedis shard = stock.shards.get(0).connect()) {
            whole = shard.hget(RedisKeys.reservations("314"), bad);
            shard.hset(RedisKeys.reservations("314"), bad, "R|alice");
        }
        handle(List.of(
                buyers.giveBack(bad, 0, "alice", Action.RETURN),
                buyers.giveBack(good, 0, "bob", Action.RETURN)));

        awaitOutcome(good, "RETURNED");
        assertThat(outcome(bad)).containsExactly("WAITING");

        try (Jedis shard = stock.shards.get(0).connect()) {
            shard.hset(RedisKeys.reservations("314"), bad, whole);
        }
        awaitOutcome(bad, "RETURNED");
        assertThat(stock.available("314")).containsExactly("3", "3", "3");
    }

    @Test
    void duplicate_of_a_waiting_return_changes_neither_its_row_nor_its_unit() {
        Buyers buyers = sale("315", 3);
        String id = buyers.take(2, "alice", 1);
        StockReturn message = buyers.giveBack(id, 2, "alice", Action.BURN);
        stock.shards.get(2).kill();
        try {
            handle(List.of(message, message));
            handle(List.of(message));
            assertThat(outcome(id)).containsExactly("WAITING");
        } finally {
            stock.shards.get(2).start();
        }
        awaitOutcome(id, "BURNED");
        handle(List.of(message));
        assertThat(outcome(id)).containsExactly("BURNED");
        assertThat(stock.available("315")).containsExactly("1", "1", "0");
    }

    private void handle(List<StockReturn> messages) {
        stock.bean(ReturnService.class).settle(messages);
    }

    private String returned(String productId, int index) {
        try (Jedis shard = stock.shards.get(index).connect()) {
            return shard.hget(RedisKeys.stock(productId), "returned");
        }
    }

    /** What the audit says is on its way back. */
    private int pendingReturns(String productId) {
        await().until(() -> stock.audit(productId).status() == 200); // a shard has just started
        return (int) ((Map<?, ?>) stock.audit(productId).body().get("pending")).get("returns");
    }
}
