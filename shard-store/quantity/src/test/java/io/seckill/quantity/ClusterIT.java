package io.seckill.quantity;

import static io.seckill.contracts.StockReturn.Action.RETURN;
import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.giveBack;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.ReserveOutcome.Word;
import io.seckill.shard.OutboxEntry;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** A Redis Cluster refuses a command that names keys of two products: nothing here sends one. */
class ClusterIT {

    private static final String OTHER = "7";
    private static RedisProcess redis;
    private static Shard node;
    private static QuantityStock stock;

    @BeforeAll
    static void start() {
        redis = RedisProcess.cluster();
        node = new Shard(0, RedisEndpoint.of("test", redis.uri()), Duration.ofSeconds(5));
        stock = new QuantityStock(node);
    }

    @AfterAll
    static void stop() {
        node.close();
        redis.close();
    }

    @Test
    void every_command_of_stock_and_outbox_names_keys_of_one_product() {
        stock.load(PRODUCT, EPOCH, 5);
        stock.load(OTHER, EPOCH, 5);
        assertThat(stock.reserve(reserve(1, "alice", 1)).word()).isEqualTo(Word.TAKEN);
        assertThat(stock.reserve(new Reserve(id(2), OTHER, "bob", 1, false, Long.MAX_VALUE))
                        .word())
                .isEqualTo(Word.TAKEN);
        assertThat(stock.holder(PRODUCT, "alice")).contains(id(1));
        assertThat(stock.markAsync(PRODUCT, "alice").join().reservationId()).contains(id(1));
        assertThat(stock.reservation(OTHER, id(2))).isPresent();
        assertThat(stock.count(PRODUCT).orElseThrow().available()).isEqualTo(4);
        assertThat(stock.books(PRODUCT).reservations()).hasSize(1);

        List<OutboxEntry> entries =
                node.outbox(List.of(PRODUCT, OTHER), 10, (product, error) -> fail(error));
        assertThat(entries).extracting(OutboxEntry::productId).containsExactly(PRODUCT, OTHER);
        stock.handedOver(PRODUCT, List.of(entries.get(0)));
        node.park(OTHER, entries.get(1).id());
        assertThat(node.outbox(List.of(PRODUCT, OTHER), 10, (product, error) -> fail(error)))
                .isEmpty();
        assertThat(stock.giveBack(giveBack(1, "alice", RETURN)))
                .isEqualTo(new ReturnOutcome(ReturnOutcome.Word.RETURNED, 1));
    }

    /** What the outbox reader once did, so that the test above is able to fail. */
    @Test
    void command_over_two_products_is_refused() {
        CommandArguments both = new CommandArguments(Command.XREAD)
                .add("STREAMS")
                .key(RedisKeys.outbox(PRODUCT))
                .key(RedisKeys.outbox(OTHER))
                .add("0")
                .add("0");
        assertThatThrownBy(() -> node.ask(both))
                .isInstanceOf(ShardDownException.class)
                .hasMessageContaining("CROSSSLOT");
    }
}
