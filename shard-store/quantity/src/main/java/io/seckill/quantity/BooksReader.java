package io.seckill.quantity;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import io.seckill.shard.Shard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Reads all there is about a product without keeping the shard from its buyers.
 *
 * <p>One command that answers with a whole sale would block the shard and outlast the timeout, so
 * reservations and buyers come in pages, between which the shard serves others. Each change of
 * either comes with one of a counter: counters that are the same before and after the pages say
 * that all was read as of one instant. When they moved it is read again, and under load that does
 * not stop the last reading is answered as it is.
 *
 * <p>A scan visits each place of a hash once and so ends; entries it tells twice count once.
 */
final class BooksReader {

    private static final Script BOOKS = Script.of(BooksReader.class, "/quantity/books.lua");
    private static final int MAX_READS = 5;
    private static final int PAGE = 1_000; // entries; a page takes the shard about a millisecond

    private final Shard shard;
    private final String productId;

    BooksReader(Shard shard, String productId) {
        this.shard = shard;
        this.productId = productId;
    }

    Books read() {
        List<?> before = counters();
        for (int reads = 1; ; reads++) {
            Map<String, Books.Kept> kept = hash(RedisKeys.reservations(productId), Books.Kept::of);
            Map<String, String> buyers = hash(RedisKeys.buyers(productId), Function.identity());
            List<?> after = counters();
            if (reads == MAX_READS || after.get(0).equals(before.get(0))) {
                return new Books(
                        StockCount.of(strings(after.get(0))), kept, buyers, (Long) after.get(1));
            }
            before = after;
        }
    }

    private List<?> counters() {
        return (List<?>) shard.run(
                BOOKS, List.of(RedisKeys.stock(productId), RedisKeys.outbox(productId)), List.of());
    }

    private <V> Map<String, V> hash(String key, Function<String, V> value) {
        Map<String, V> all = new HashMap<>();
        String cursor = "0";
        do {
            List<?> page = (List<?>) shard.ask(new CommandArguments(Command.HSCAN)
                    .key(key)
                    .add(cursor)
                    .add("COUNT")
                    .add(PAGE));
            cursor = (String) page.get(0);
            List<String> flat = strings(page.get(1));
            for (int i = 0; i < flat.size(); i += 2) {
                all.put(flat.get(i), value.apply(flat.get(i + 1)));
            }
        } while (!cursor.equals("0"));
        return all;
    }

    @SuppressWarnings("unchecked")
    private static List<String> strings(Object reply) {
        return (List<String>) reply;
    }
}
