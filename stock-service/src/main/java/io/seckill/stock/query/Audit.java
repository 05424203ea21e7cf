package io.seckill.stock.query;

import io.seckill.quantity.Books;
import io.seckill.stock.sale.Allocation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks the books of one product: the equations over all shards, and each shard's own. */
final class Audit {

    private final Facts facts;
    private final Differences differences;

    private Audit(Facts facts) {
        this.facts = facts;
        differences = Differences.ofProduct(facts.sale().productId());
    }

    /** Pure: the same facts give the same books. */
    static ProductBooks check(Facts facts) {
        return new Audit(facts).check();
    }

    private ProductBooks check() {
        long allocated =
                facts.allocations().stream().mapToLong(Allocation::allocated).sum();
        long total = facts.sale().stockTotal();
        differences.unless(
                allocated == total,
                "A3",
                "allocated %d over all shards, stock %d",
                allocated,
                total);
        long oversold = Math.max(0, facts.liveUnits() - total);
        differences.unless(
                oversold == 0, "A3", "live orders %d, stock %d", facts.liveUnits(), total);
        checkQuantities();
        Set<String> duplicateBuyers = duplicateBuyers();
        differences.none(duplicateBuyers, "A4", "users with more than one order or reservation");
        List<ShardCheck> shards = checkShards();
        long withoutOrder =
                shards.stream().mapToLong(shard -> shard.withoutOrder().size()).sum();
        return new ProductBooks(
                facts.sale().productId(),
                total,
                shards.stream().map(ShardCheck::books).toList(),
                facts.liveUnits(),
                duplicateBuyers.size(),
                oversold,
                withoutOrder,
                lost(withoutOrder),
                shards.stream().mapToLong(shard -> shard.unexpected().size()).sum()
                        + checkOrdersOfNoShard(),
                differences.all());
    }

    /** Q2 is an equation of quiet books: nothing is lost that may still be on its way. */
    private long lost(long withoutOrder) {
        return Math.max(0, withoutOrder - facts.onTheirWay().orElse(withoutOrder));
    }

    private List<ShardCheck> checkShards() {
        List<ShardCheck> checks = new ArrayList<>();
        for (Allocation allocation : facts.allocations()) {
            Books books = facts.shards().get(allocation.shard());
            List<LiveOrder> live = facts.liveOrders(allocation.shard());
            if (books == null) {
                ShardCheck.ofRetired(allocation, live, differences);
            } else {
                ShardCheck check = new ShardCheck(allocation, books, live, differences);
                check.check();
                checks.add(check);
            }
        }
        return checks;
    }

    private void checkQuantities() {
        int limit = facts.sale().perUserLimit();
        Set<String> greedy = facts.liveOrders().stream()
                .filter(order -> order.quantity() > limit)
                .map(LiveOrder::reservationId)
                .collect(Collectors.toCollection(TreeSet::new));
        differences.none(greedy, "A4", "orders of more than " + limit + " units");
    }

    /** Counted from the rows, not trusted to the unique key; held reservations over all shards. */
    private Set<String> duplicateBuyers() {
        Map<String, Integer> orders = new HashMap<>();
        facts.liveOrders().forEach(order -> orders.merge(order.userId(), 1, Integer::sum));
        Map<String, Integer> held = new HashMap<>();
        facts.shards()
                .values()
                .forEach(books -> ShardCheck.held(books)
                        .values()
                        .forEach(kept -> held.merge(kept.userId(), 1, Integer::sum)));
        Set<String> duplicates = new TreeSet<>();
        orders.forEach((user, count) -> addIfMany(duplicates, user, count));
        held.forEach((user, count) -> addIfMany(duplicates, user, count));
        return duplicates;
    }

    private static void addIfMany(Set<String> users, String user, int count) {
        if (count > 1) {
            users.add(user);
        }
    }

    /** Live orders of a shard that is none of this sale's. */
    private long checkOrdersOfNoShard() {
        Set<Integer> shards =
                facts.allocations().stream().map(Allocation::shard).collect(Collectors.toSet());
        Set<String> astray = facts.liveOrders().stream()
                .filter(order -> !shards.contains(order.shard()))
                .map(LiveOrder::reservationId)
                .collect(Collectors.toCollection(TreeSet::new));
        differences.none(astray, "Q2", "orders of a shard that is not this sale's");
        return astray.size();
    }
}
