package io.seckill.stock;

import io.seckill.contracts.RedisKeys;
import io.seckill.testkit.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/** Looks into every key of every Redis and every row of every table for a product's id. */
public final class Traces {

    private final Stock stock;
    private final String productId;

    public Traces(Stock stock, String productId) {
        this.stock = stock;
        this.productId = productId;
    }

    /** Where it stands, but for the two that say that the sale was removed. */
    public List<String> all() {
        List<String> found = new ArrayList<>();
        Stream.concat(Stream.of(stock.control), stock.shards.stream())
                .forEach(redis -> found.addAll(keys(redis)));
        found.remove(RedisKeys.removed(productId));
        stock.sql()
                .queryForList("SHOW TABLES", String.class)
                .forEach(table -> found.addAll(rows(table)));
        found.remove("removed_sale");
        return found;
    }

    private List<String> keys(RedisProcess redis) {
        try (Jedis jedis = redis.connect()) {
            return jedis.keys("*").stream()
                    .filter(key -> key.contains(productId) || value(jedis, key).contains(productId))
                    .toList();
        }
    }

    private static String value(Jedis jedis, String key) {
        return switch (jedis.type(key)) {
            case "string" -> jedis.get(key);
            case "hash" -> jedis.hgetAll(key).toString();
            case "set" -> jedis.smembers(key).toString();
            case "list" -> jedis.lrange(key, 0, -1).toString();
            case "stream" -> jedis.xrange(key, "-", "+").toString();
            default -> "";
        };
    }

    private List<String> rows(String table) {
        return stock.sql().queryForList("SELECT * FROM " + table).stream()
                .filter(row -> row.toString().contains(productId))
                .map(row -> table)
                .toList();
    }
}
