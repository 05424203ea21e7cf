package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.flashsale.HeardReservations;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.UnknownListener;
import io.seckill.quantity.Reserve;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** Two instances that sell the same product from the same shards. */
class TwoRelaysIT extends Hop {

    private static final Duration TAKEN_OVER = Duration.ofSeconds(5);

    @Autowired
    private ReservationRelay one;

    @Autowired
    private MessageSender sender;

    @Autowired
    private UnknownListener unknown;

    private final HeardReservations heard = new HeardReservations(product);
    private ReservationRelay other;
    private MessageConsumer consumer;

    @BeforeEach
    void start() {
        sell(600, 400, 400);
        other = new ReservationRelay(shards, sales, sender, SIGNER, unknown);
        other.start();
        consumer = messaging.consumer(
                "two-relays-" + product, Reservation.TOPIC, Reservation.class, heard, 1);
        consumer.start();
    }

    @AfterEach
    void stop() {
        consumer.stop();
        other.stop();
    }

    @Test
    void of_two_that_sell_each_sends_its_own_reservations_once() {
        IntStream.range(0, 600).parallel().forEach(n -> {
            Reserve wish = take(n);
            (n % 2 == 0 ? one : other).taken(n % 3, wish);
        });
        awaitHeard(600);
        assertNoMore(600);
        assertThat(heard.ids()).doesNotHaveDuplicates();
    }

    @Test
    void what_a_dead_one_took_is_sent_by_one_of_those_who_live() {
        try (Jedis shard = SHARDS.get(1).connect()) {
            lease(shard, "dead", ReservationRelay.LEASE);
        }
        IntStream.range(0, 60).forEach(this::take);

        await().atMost(TAKEN_OVER)
                .until(() -> shards.all().stream()
                        .allMatch(shard -> surely(() -> shard.waiting(product)) == 0));
        awaitHeard(60);
        assertNoMore(60);
    }

    @Test
    void what_is_late_is_sent_by_who_has_the_lease_and_what_is_no_lease_is_nobodys() {
        try (Jedis shard = SHARDS.get(0).connect()) {
            shard.sadd(RedisKeys.RELAY, "no lease");
            take(0);
            await().atMost(TAKEN_OVER)
                    .until(() -> surely(() -> shards.get(0).waiting(product)) == 0);

            lease(shard, "somebody else", Duration.ofMinutes(1));
            Reserve late = take(3);
            await().pollDelay(Duration.ofMillis(1_200)).until(() -> true);
            one.taken(0, take(6));
            awaitHeard(2);
            assertNoMore(2);
            assertThat(heard.ids()).doesNotContain(late.reservationId());

            shard.del(RedisKeys.RELAY);
            awaitHeard(3);
        }
    }

    /** One that runs, and asks for the lease again and again. */
    @Test
    void what_one_took_that_cannot_reach_the_broker_is_sent_by_the_other() {
        one.stop();
        ReservationRelay cutOff =
                new ReservationRelay(shards, sales, messaging.sender(), SIGNER, unknown);
        cutOff.start();
        try {
            IntStream.range(0, 30).forEach(n -> cutOff.taken(n % 3, take(n)));
            await().atMost(Duration.ofSeconds(10)).until(() -> heard.all().size() >= 30);
            assertNoMore(30);
        } finally {
            cutOff.stop();
            one.start();
        }
    }

    /** It is what would make room. */
    @Test
    void what_is_late_in_a_shard_without_memory_is_sent() {
        try (Jedis shard = SHARDS.get(0).connect()) {
            take(0);
            shard.configSet("maxmemory", "1");
            try {
                awaitHeard(1);
                await().until(() -> surely(() -> shards.get(0).waiting(product)) == 0);
            } finally {
                shard.configSet("maxmemory", "0");
            }
        }
    }

    /** Who has the lease may be slow, and keep waiting what others took behind it. */
    @Test
    void more_than_a_page_that_is_late_is_sent_whoever_has_the_lease() {
        try (Jedis shard = SHARDS.get(0).connect()) {
            lease(shard, "a slow one", Duration.ofMinutes(1));
            IntStream.range(0, 300).forEach(n -> take(3 * n));
            await().atMost(Duration.ofSeconds(20)).until(() -> heard.all().size() >= 2 * 128);
            shard.del(RedisKeys.RELAY);
            awaitHeard(300);
        }
    }

    private static void lease(Jedis shard, String holder, Duration time) {
        shard.set(RedisKeys.RELAY, holder, SetParams.setParams().px(time.toMillis()));
    }

    private Reserve take(int n) {
        Reserve wish = new Reserve(
                "%032x".formatted(n + 1), product, "user-" + n, 1, true, Long.MAX_VALUE / 2);
        surely(() -> shards.get(n % 3).reserve(wish));
        return wish;
    }

    private void awaitHeard(int count) {
        await().atMost(Duration.ofSeconds(45)).until(() -> heard.all().size() >= count);
    }

    private void assertNoMore(int count) {
        await().during(Duration.ofSeconds(3))
                .atMost(Duration.ofSeconds(5))
                .until(() -> heard.all().size() == count);
    }
}
