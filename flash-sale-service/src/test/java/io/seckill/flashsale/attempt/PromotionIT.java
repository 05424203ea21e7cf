package io.seckill.flashsale.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.ShardState;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ClientKillParams;

/** A replica of shard 0 is promoted, while the old master lives and serves whom it has. */
class PromotionIT extends Hop {

    @Test
    void shard_that_was_opened_again_is_asked_at_its_address_and_who_was_left_is_told() {
        sell(9, 0, 0);
        String address = SHARDS.get(0).address();
        String port = address.replaceFirst(".*:", "");
        try (RedisProcess replica = new RedisProcess();
                Jedis old = SHARDS.get(0).connect();
                Jedis next = replica.connect()) {
            old.configSet("repl-diskless-sync-delay", "0");
            next.replicaof("127.0.0.1", Integer.parseInt(port));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> next.exists(RedisKeys.stock(product)));
            open(shards.get(0).shard(), 2); // its replication id is another since it has a replica
            publish(2);
            assertThat(buyAt(old, 1)).isTrue();

            old.configSet("slowlog-log-slower-than", "0");
            old.configSet("port", "0");
            next.replicaofNoOne();
            next.configSet("port", port);
            try {
                try (Shard other =
                        Shards.of("test", List.of(SHARDS.get(0).uri())).all().get(0)) {
                    open(other, 3);
                }
                assertThat(buyAt(old, 2))
                        .as("vacuous unless it still sells there")
                        .isTrue();
                leaveButAttempts(old, userAt(0, 2));
                assertThat(buyAt(old, 3)).isTrue();
                publish(3);
                assertThat(buyAt(old, 4)).isFalse();
                assertThat(buyAt(next, 5)).isTrue();
                assertThat(old.xlen(RedisKeys.outbox(product)))
                        .as("vacuous unless the old master keeps what it sold last")
                        .isPositive();
                String user = userAt(0, 3);
                await().atMost(Duration.ofSeconds(10))
                        .untilAsserted(() -> assertThat(result(user).body())
                                .isEqualTo(
                                        Map.of("status", "REJECTED", "reason", "UNKNOWN_OUTCOME")));
            } finally {
                next.configSet("port", "0");
                old.configSet("port", port);
                old.configSet("slowlog-log-slower-than", "10000");
                shards.get(0).shard().renew();
            }
        }
    }

    /** The relay finds the new master before attempts do, and never reads the old one again. */
    private void leaveButAttempts(Jedis old, String buyer) {
        String attempts = old.slowlogGet(-1).stream()
                .filter(call -> call.getArgs().contains(buyer))
                .filter(call -> call.getArgs().get(0).equalsIgnoreCase("evalsha"))
                .map(call -> call.getClientIpPort().toString())
                .findFirst()
                .orElseThrow();
        for (String client : old.clientList().split("\n")) {
            if (!client.contains("addr=" + attempts + " ") && !client.contains("flags=S")) {
                String id = client.replaceFirst("^id=(\\d+) .*", "$1");
                old.clientKill(new ClientKillParams().id(id).skipMe(ClientKillParams.SkipMe.YES));
            }
        }
    }

    private boolean buyAt(Jedis redis, int n) {
        String user = userAt(0, n);
        assertThat(deduct(user).text("code")).isEqualTo("ACCEPTED");
        return redis.hexists(RedisKeys.buyers(product), user);
    }

    private void open(Shard shard, int epoch) {
        QuantityRecovery recovery = new QuantityRecovery(shard);
        ShardState read = surely(() -> recovery.state(product));
        assertThat(surely(() -> recovery.open(product, read, epoch))).isTrue();
    }

    /** As stock-service does; twice, so that the first reading is worked off. */
    private void publish(int epoch) {
        onControl(jedis -> jedis.hset(
                RedisKeys.sale(product), "placements", "0:" + epoch + ":OPEN 1:1:OPEN 2:1:OPEN"));
        awaitRead();
        awaitRead();
    }
}
