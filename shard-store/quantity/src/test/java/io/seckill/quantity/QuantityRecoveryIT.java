package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.quantity.QuantityRecovery.Held;
import io.seckill.quantity.QuantityRecovery.Rebuilt;
import io.seckill.quantity.ReserveOutcome.Word;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** A Redis that is not the one whose books were verified sells nothing until it is taken back. */
class QuantityRecoveryIT {

    private static final String STRANGER = "f".repeat(40);
    private static final List<Held> TWO = List.of(held(1, "alice", 2), held(2, "bob", 1));

    private RedisProcess redis;
    private Shard node;
    private QuantityStock shard;
    private QuantityRecovery recovery;

    @BeforeEach
    void start() {
        redis = new RedisProcess();
        connect();
        shard.load(PRODUCT, EPOCH, 5);
    }

    private void connect() {
        node = new Shard(0, RedisEndpoint.of("test", redis.uri()), Duration.ofSeconds(5));
        shard = new QuantityStock(node);
        recovery = new QuantityRecovery(node);
    }

    @AfterEach
    void stop() {
        node.close();
        redis.close();
    }

    @Test
    void restart_closes_the_gate_and_opening_begins_the_next_epoch() {
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
        restart();
        assertThat(shard.reserve(reserve(2, "bob", 1)).word()).isEqualTo(Word.GATED);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word())
                .as("what it knows of this id it says")
                .isEqualTo(Word.TAKEN);
        assertThat(mark("alice").isGated()).isTrue();

        ShardState read = state();
        assertThat(read.isOpen()).isFalse();
        assertThat(recovery.open(PRODUCT, read, 2)).isTrue();

        assertThat(state().isOpen()).isTrue();
        assertThat(mark("alice").reservationId()).contains(id(1));
        assertThat(shard.reserve(reserve(2, "bob", 1)).word()).isEqualTo(Word.TAKEN);
        assertThat(shard.reservation(PRODUCT, id(2)).orElseThrow())
                .extracting(Kept::epoch, Kept::seq)
                .containsExactly(2, 2L);
    }

    @Test
    void gate_closed_the_shard_is_never_sold_out_nor_knows_who_holds() {
        shard.reserve(reserve(1, "alice", 5));
        restart();
        assertThat(shard.reserve(reserve(2, "bob", 1)).word()).isEqualTo(Word.GATED);
        assertThat(shard.reserve(reserve(3, "alice", 1)).word()).isEqualTo(Word.GATED);
        assertThat(mark("bob").isEmpty()).isFalse();
    }

    @Test
    void units_are_left_only_where_they_may_be_taken() {
        assertThat(shard.left(PRODUCT, EPOCH)).hasValue(5);
        assertThat(shard.left(PRODUCT, EPOCH + 1)).as("another epoch").isEmpty();
        assertThat(shard.left("519", EPOCH)).as("not loaded").isEmpty();
        edit(jedis -> jedis.hset(RedisKeys.stock(PRODUCT), "available", "5.0"));
        assertThat(shard.left(PRODUCT, EPOCH)).as("damaged").isEmpty();
        edit(jedis -> jedis.hset(RedisKeys.stock(PRODUCT), "available", "0"));
        assertThat(shard.left(PRODUCT, EPOCH)).hasValue(0);
        restart();
        assertThat(shard.left(PRODUCT, EPOCH)).as("gated").isEmpty();
    }

    /** An empty or shortened identity is the beginning of every one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 39})
    void part_of_an_identity_opens_nothing(int length) {
        String identity = state().identity();
        edit(jedis ->
                jedis.hset(RedisKeys.stock(PRODUCT), "open_for", identity.substring(0, length)));
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.GATED);
        assertThat(mark("alice").isGated()).isTrue();
    }

    @Test
    void what_was_read_of_another_redis_opens_and_builds_nothing() {
        ShardState read = state();
        restart();
        assertThat(recovery.open(PRODUCT, read, 2)).isFalse();
        assertThat(recovery.begin(PRODUCT, read.identity(), 2)).isFalse();
        assertThat(recovery.begin(PRODUCT, state().identity(), 2)).isTrue();
        assertThat(recovery.pageAsync(PRODUCT, STRANGER, 2, TWO).join()).isFalse();
        assertThat(recovery.end(PRODUCT, STRANGER, 2, new Rebuilt(0, 5, 0, false)))
                .isFalse();
        assertThat(shard.count(PRODUCT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoch", "seq", "init"})
    void what_has_changed_since_it_was_read_is_not_opened(String field) {
        ShardState read = state();
        edit(jedis -> jedis.hincrBy(RedisKeys.stock(PRODUCT), field, 1));
        assertThat(recovery.open(PRODUCT, read, 9)).isFalse();
    }

    @Test
    void rebuilt_product_holds_its_live_orders_and_sells_the_rest() {
        shard.reserve(reserve(9, "forgotten", 4));
        String identity = state().identity();
        assertThat(recovery.begin(PRODUCT, identity, 3)).isTrue();
        assertThat(state().building()).isEqualTo(3);
        assertThat(shard.reserve(reserve(4, "dave", 1)).word()).isEqualTo(Word.NOT_LOADED);
        for (int twice = 0; twice < 2; twice++) {
            assertThat(recovery.pageAsync(PRODUCT, identity, 3, TWO).join()).isTrue();
        }
        assertThat(recovery.end(PRODUCT, identity, 3, new Rebuilt(2, 5, 3, true)))
                .isTrue();
        assertThat(shard.reserve(reserve(4, "dave", 1)).word()).isEqualTo(Word.GATED);
        assertThat(recovery.open(PRODUCT, state(), 3)).isTrue();

        assertThat(shard.count(PRODUCT)).contains(new StockCount(2, 5, 3, 0, 0, 3, 0));
        assertThat(state().rebuilt()).isEqualTo(3);
        assertThat(shard.books(PRODUCT).outboxLength()).as("never emptied").isEqualTo(1);
        assertThat(shard.reserve(reserve(5, "bob", 1)).detail()).isEqualTo(id(2));
        assertThat(mark("dave").mayHaveGuests()).isTrue();
        shard.giveBack(giveBack(1, "alice", RETURN, 3));
        assertThat(shard.count(PRODUCT)).contains(new StockCount(4, 5, 3, 2, 0, 3, 0));
    }

    @Test
    void recovery_that_slept_changes_nothing_of_a_later_one() {
        String identity = state().identity();
        assertThat(recovery.begin(PRODUCT, identity, 3)).isTrue();
        assertThat(recovery.begin(PRODUCT, identity, 4)).isTrue();
        assertThat(recovery.begin(PRODUCT, identity, 3)).isFalse();
        assertThat(recovery.pageAsync(PRODUCT, identity, 3, TWO).join()).isFalse();
        assertThat(recovery.end(PRODUCT, identity, 3, new Rebuilt(0, 5, 0, false)))
                .isFalse();
        assertThat(recovery.end(PRODUCT, identity, 4, new Rebuilt(0, 5, 0, false)))
                .isTrue();
        assertThat(recovery.begin(PRODUCT, identity, 4)).as("done").isFalse();
        assertThat(recovery.pageAsync(PRODUCT, identity, 4, TWO).join()).isFalse();
    }

    @Test
    void counters_are_not_written_while_a_page_is_missing() {
        String identity = state().identity();
        recovery.begin(PRODUCT, identity, 2);
        recovery.pageAsync(PRODUCT, identity, 2, TWO.subList(0, 1)).join();
        assertThat(recovery.end(PRODUCT, identity, 2, new Rebuilt(2, 5, 3, false)))
                .isFalse();
    }

    /** R7, and whatever else a hand may have left. */
    @ParameterizedTest
    @CsvSource({"available,5.0", "seq,''", "epoch,1000000000", "rebuilt,x", "init,-5", "changed,x"})
    void damaged_counter_is_no_stock_to_recovery_and_is_built_anew(String field, String value) {
        edit(jedis -> jedis.hset(RedisKeys.stock(PRODUCT), field, value));
        assertThat(state().stock()).isEmpty();
        rebuild(2);
    }

    @Test
    void units_are_added_once_by_each_change_in_its_epoch() {
        assertThat(recovery.topUp(PRODUCT, 2, EPOCH + 1, 3)).as("to come").isFalse();
        for (long id : List.of(2L, 2L, 1L)) {
            assertThat(recovery.topUp(PRODUCT, id, EPOCH, 3)).isTrue();
            assertThat(shard.count(PRODUCT)).contains(new StockCount(8, 8, 0, 0, 0, EPOCH, 0));
        }
    }

    /** R7: before the first write. */
    @ParameterizedTest
    @CsvSource({"available,5.0", "init,-5", "init,1000000000000000", "epoch,x", "changed,''"})
    void damaged_counter_gets_no_added_units_and_stays_as_it_is(String field, String value) {
        edit(jedis -> {
            String stock = RedisKeys.stock(PRODUCT);
            jedis.hset(stock, field, value);
            byte[] before = jedis.dump(stock);
            assertThatThrownBy(() -> recovery.topUp(PRODUCT, 1, EPOCH, 3))
                    .isInstanceOf(ShardDownException.class)
                    .hasMessageContaining("DAMAGED " + stock);
            assertThat(jedis.dump(stock)).isEqualTo(before);
        });
    }

    @ParameterizedTest
    @MethodSource("keys")
    void key_of_a_wrong_type_is_no_stock_and_all_of_it_is_built_anew(String key) {
        edit(jedis -> jedis.del(key));
        edit(jedis -> jedis.sadd(key, "mine"));
        assertThat(state().stock()).isEmpty();
        assertThat(state().isOpen()).isFalse();
        assertThat(state().outboxLength()).isZero();
        rebuild(2);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
    }

    static List<String> keys() {
        return List.of(
                RedisKeys.stock(PRODUCT),
                RedisKeys.buyers(PRODUCT),
                RedisKeys.reservations(PRODUCT),
                RedisKeys.outbox(PRODUCT));
    }

    @Test
    void closed_part_sells_nothing_whatever_is_under_its_key() {
        recovery.close(PRODUCT);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.GATED);
        edit(jedis -> jedis.set(RedisKeys.stock(PRODUCT), "mine"));
        recovery.close(PRODUCT);
        assertThat(shard.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.NOT_LOADED);
    }

    /** Before anything is decided: each decision is an epoch. */
    @Test
    void shard_that_takes_no_writes_is_not_closed_and_says_so() {
        edit(jedis -> {
            jedis.configSet("min-replicas-to-write", "1");
            assertThatThrownBy(() -> recovery.close(PRODUCT))
                    .isInstanceOf(ShardDownException.class);
            jedis.configSet("min-replicas-to-write", "0");
        });
        assertThat(state().isOpen()).isTrue();
    }

    @Test
    void full_memory_keeps_no_part_closed() {
        restart();
        edit(jedis -> jedis.configSet("maxmemory", "1"));
        recovery.close(PRODUCT);
        assertThat(recovery.open(PRODUCT, state(), 2)).isTrue();
        rebuild(3);
    }

    @Test
    void flushed_shard_is_not_open() {
        edit(Jedis::flushAll);
        assertThat(state().isOpen()).isFalse();
        assertThat(mark("alice").isGated()).isTrue();
        rebuild(2);
    }

    private void rebuild(int epoch) {
        String identity = state().identity();
        assertThat(recovery.begin(PRODUCT, identity, epoch)).isTrue();
        assertThat(recovery.end(PRODUCT, identity, epoch, new Rebuilt(0, 5, 0, false)))
                .isTrue();
        assertThat(recovery.open(PRODUCT, state(), epoch)).isTrue();
        assertThat(shard.count(PRODUCT)).contains(new StockCount(5, 5, 0, 0, 0, epoch, 0));
    }

    private Mark mark(String user) {
        return shard.markAsync(PRODUCT, user).join();
    }

    private ShardState state() {
        return recovery.state(PRODUCT);
    }

    private void edit(Consumer<Jedis> by) {
        try (Jedis jedis = redis.connect()) {
            by.accept(jedis);
        }
    }

    private void restart() {
        redis.kill();
        redis.start();
        node.close();
        connect();
    }

    private static Held held(int id, String user, int quantity) {
        return new Held(id(id), new Kept(State.R, user, quantity, 7, 1, id));
    }
}
