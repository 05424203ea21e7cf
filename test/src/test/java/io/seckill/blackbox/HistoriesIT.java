package io.seckill.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.blackbox.ShardStore.Held;
import io.seckill.contracts.StockReturn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What a shard that loses something once led to, from the first buyer to the last on a whole copy:
 * a unit that is sold twice, one that nobody gets, or a buyer who never hears.
 *
 * <p>Each history ends alike: once everybody has had a turn there are as many live orders as units,
 * and the books balance. R5 (clocks) and R6 (a shard that hangs) lose nothing; they are played
 * where a clock can be set and a shard be silent for a moment, in flash-sale-service.
 */
class HistoriesIT {

    private static final int STOCK = 3; // a unit in each shard
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final Duration CLOSED = Duration.ofSeconds(3);

    private final Copy copy = new Copy();
    private final Shop shop = new Shop(copy);
    private final String productId = copy.newProduct();
    private final List<ShardStore> shards = IntStream.range(0, 3)
            .mapToObj(number -> new ShardStore(copy, number, productId))
            .toList();

    /** The gate: what a restart lost is sold to nobody before the orders were asked. */
    @Test
    void r1_unit_of_a_live_order_that_a_restart_lost_is_not_sold_again() throws Exception {
        sale(STOCK);
        List<Path> before = shards.stream().map(ShardStore::backup).toList();
        order("first");
        int at = shardOf("first");
        ShardStore shard = shards.get(at);

        Crowd others = new Crowd(copy, productId);
        List<String> users = Crowd.users("other-", STOCK + 2);
        copy.without("stock", () -> {
            shard.restartWith(before.get(at));
            assertThat(shard.counter("available")).as("vacuous: not lost").isEqualTo("1");
            Future<?> unused = others.start(users);
            await().during(CLOSED)
                    .atMost(CLOSED.multipliedBy(2))
                    .until(() -> shard.reservations() == 0);
        });
        await().atMost(LIMIT).until(() -> others.endings().size() == users.size());
        assertThat(others.busy()).as("vacuous: nobody was sent away").isPositive();
        assertThat(others.endedWith("ORDERED")).hasSize(STOCK - 1);
        assertThat(others.endings().values()).containsOnly("ORDERED", "SOLD_OUT");
        assertThat(shard.holdsFor("first")).isTrue();

        leaveUnpaid("first");
        awaitReturned("first");
        assertAllAreSold(STOCK);
    }

    /** As it was once: without a restart no gate closes, and the unit is sold again. */
    @Test
    void r1_unit_that_was_sold_twice_finds_one_buyer_when_the_first_does_not_pay() {
        sale(STOCK);
        List<Held> before = shards.stream().map(ShardStore::held).toList();
        order("first");
        order("x");
        order("y");
        int at = shardOf("first");
        shards.get(at).putBack(before.get(at));

        attempt("second");
        awaitEnding("second", "REJECTED");
        assertThat(sql("SELECT reason FROM orders WHERE %s", "second"))
                .containsExactly("LEDGER_FULL");

        leaveUnpaid("first");
        awaitReturned("first");
        assertAllAreSold(STOCK);
    }

    /** Recovery: more returns are known than the shard has counted. */
    @Test
    void r2_unit_whose_return_a_restart_lost_is_for_sale_when_the_shard_opens() throws Exception {
        sale(STOCK);
        order("first");
        ShardStore shard = shards.get(shardOf("first"));
        Path before = shard.backup();
        leaveUnpaid("first");
        awaitReturned("first");

        shard.restartWith(before);
        Crowd others = new Crowd(copy, productId);
        others.start(Crowd.users("other-", STOCK + 2)).get(2, TimeUnit.MINUTES);
        assertThat(others.endedWith("ORDERED")).hasSize(STOCK);
        assertAllAreSold(STOCK);
    }

    /** The reconciler: nothing opens anew, so recovery compares nothing. */
    @Test
    void r2_unit_whose_return_an_open_shard_lost_is_given_back_again() {
        sale(STOCK);
        order("first");
        ShardStore shard = shards.get(shardOf("first"));
        Held before = shard.held();
        leaveUnpaid("first");
        awaitReturned("first");
        endedLongAgo("first");

        shard.putBack(before);
        assertThat(shard.holdsFor("first")).as("vacuous: not lost").isTrue();
        shard.age("first");
        await().atMost(LIMIT).until(() -> !shard.holdsFor("first"));
        assertAllAreSold(STOCK);
    }

    /** While the broker is away, so that one of those it lost had no order yet. */
    @Test
    void r3_shard_that_starts_empty_sells_the_rest_and_tells_whose_unit_it_lost() {
        int stock = 10 * STOCK;
        ShardStore shard = shards.get(1);
        sale(stock);
        String ordered = reserveIn(shard, "early-");
        awaitOrder(ordered);
        String lost;
        copy.kill("broker");
        try {
            lost = reserveIn(shard, "late-");
            shard.restartEmpty();
        } finally {
            copy.must("restart", "broker");
        }
        awaitEnding(lost, "REJECTED");
        assertAllAreSold(stock);
        assertThat(shard.holdsFor(ordered)).isTrue();
        await().atMost(LIMIT)
                .until(() -> shop.get(null, "/seckill/sales/" + productId)
                        .text("soldOut")
                        .equals("true"));
    }

    /** Nobody asks for a result meanwhile. */
    @Test
    void r4_reservation_whose_message_order_or_return_was_lost_comes_to_its_end() {
        int stock = 3 * STOCK;
        sale(stock);
        order("row");
        order("unpaid");
        copy.kill("broker");
        try {
            attempt("untold");
            assertThat(shards.get(shardOf("untold")).forgetEntries("untold"))
                    .as("vacuous: not lost")
                    .isEqualTo(1);
            leaveUnpaid("unpaid");
            loseReturn("unpaid");
        } finally {
            copy.must("restart", "broker");
        }
        loseOrder("row");
        endedLongAgo("unpaid");
        List.of("row", "unpaid", "untold")
                .forEach(user -> shards.get(shardOf(user)).age(user));

        awaitOrder("row");
        awaitOrder("untold");
        awaitReturned("unpaid");
        assertAllAreSold(stock);
    }

    /** Whoever would mend it is stopped until each counter has been tried. */
    @Test
    void r7_counter_that_is_no_whole_number_refuses_before_the_first_write() throws Exception {
        sale(STOCK);
        copy.without("stock", () -> {
            for (String field : List.of("available", "deducted", "seq", "epoch")) {
                assertRefusedUnchanged(field);
            }
            shards.forEach(shard -> shard.setCounter("available", "5.0"));
        });
        Crowd crowd = new Crowd(copy, productId);
        crowd.start(Crowd.users("buyer-", STOCK + 2)).get(2, TimeUnit.MINUTES);
        assertThat(crowd.endedWith("ORDERED")).hasSize(STOCK);
        assertAllAreSold(STOCK);
    }

    private void assertRefusedUnchanged(String field) {
        List<Held> sound = shards.stream().map(ShardStore::held).toList();
        shards.forEach(shard -> shard.setCounter(field, "5.0"));
        List<Held> damaged = shards.stream().map(ShardStore::held).toList();

        Shop.Answer answer = shop.post("before-" + field, Shop.deduct(productId));

        assertThat(answer.status()).as("%s: %s", field, answer).isEqualTo(503);
        assertThat(shards.stream().map(ShardStore::held).toList()).as(field).isEqualTo(damaged);
        IntStream.range(0, shards.size()).forEach(n -> shards.get(n).putBack(sound.get(n)));
    }

    private void sale(int stock) {
        copy.must("sale", "create", productId, "--stock", Integer.toString(stock));
    }

    /** Buys a unit; its order lives. */
    private void order(String user) {
        copy.must("buy", user, productId);
    }

    /** Takes a unit, and does not ask what became of it. */
    private void attempt(String user) {
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> shop.post(user, Shop.deduct(productId)).status() == 202);
    }

    /** Users take units until one does in this shard: who that is. */
    private String reserveIn(ShardStore shard, String prefix) {
        for (int n = 0; ; n++) {
            attempt(prefix + n);
            if (shard.holdsFor(prefix + n)) {
                return prefix + n;
            }
        }
    }

    private int shardOf(String user) {
        return IntStream.range(0, shards.size())
                .filter(n -> shards.get(n).holdsFor(user))
                .findFirst()
                .orElseThrow();
    }

    private void awaitEnding(String user, String ending) {
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(shop.get(user, Shop.result(productId)).text("status"))
                                .isEqualTo(ending));
    }

    private void awaitOrder(String user) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(sql("SELECT status FROM orders WHERE %s", user))
                        .containsExactly("UNPAID"));
    }

    /** Its time to pay is over; returns when it is closed. */
    private void leaveUnpaid(String user) {
        sql("UPDATE orders SET pay_by_ms = 1 WHERE %s", user);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(sql("SELECT status FROM orders WHERE %s", user))
                        .containsExactly("CANCELLED"));
    }

    /** Its unit is for sale: by this return, or by a rebuild that had counted it (OLDER). */
    private void awaitReturned(String user) {
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(sql("SELECT outcome FROM stock_return WHERE %s", user))
                                .hasSize(1)
                                .isSubsetOf("RETURNED", "ALREADY_DONE", "OLDER"));
    }

    private void endedLongAgo(String user) {
        sql("UPDATE orders SET closed_at_ms = 1000 WHERE %s", user);
    }

    /** As in a database that was put back to a moment before. */
    private void loseOrder(String user) {
        sql(
                "START TRANSACTION; DELETE FROM orders WHERE %s;"
                        + " UPDATE shard_ledger SET sold = sold - 1 WHERE product_id = '"
                        + productId + "' AND shard = " + shardOf(user) + "; COMMIT",
                user);
    }

    private void loseReturn(String user) {
        assertThat(sql(
                        "DELETE FROM outbox WHERE topic = '" + StockReturn.TOPIC
                                + "' AND message_count = 1 AND LEFT(messages, 32)"
                                + " = (SELECT reservation_id FROM orders WHERE %s);"
                                + " SELECT ROW_COUNT()",
                        user))
                .as("vacuous: not lost")
                .containsExactly("1");
    }

    /** Everybody has a turn, again while units come back; then all have one owner each. */
    private void assertAllAreSold(int stock) {
        Crowd crowd = new Crowd(copy, productId);
        List<String> users = Crowd.users("last-", stock + 2);
        await().atMost(LIMIT).until(() -> {
            List<String> ordered = crowd.endedWith("ORDERED");
            crowd.start(users.stream().filter(user -> !ordered.contains(user)).toList())
                    .get(2, TimeUnit.MINUTES);
            return liveOrders().equals(List.of(Integer.toString(stock)));
        });
        Copy.Output audit = copy.seckill("audit", productId, "--json");
        assertThat(audit.exit()).as(audit.text()).isZero();
        Map<?, ?> product = (Map<?, ?>) ((List<?>) audit.json().get("products")).get(0);
        assertThat(product.get("liveOrders")).isEqualTo(stock);
        assertThat(product.get("oversold")).isEqualTo(0);
    }

    private List<String> liveOrders() {
        return copy.sql("SELECT COUNT(*) FROM orders WHERE product_id = '" + productId
                + "' AND status IN ('UNPAID', 'PAID')");
    }

    /** {@code %s} are the user's rows of this sale. */
    private List<String> sql(String statements, String user) {
        return copy.sql(statements.formatted(
                "product_id = '" + productId + "' AND user_id = '" + user + "'"));
    }
}
