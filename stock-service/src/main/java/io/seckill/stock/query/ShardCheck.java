package io.seckill.stock.query;

import io.seckill.quantity.Books;
import io.seckill.quantity.Books.Kept;
import io.seckill.quantity.Books.State;
import io.seckill.quantity.StockCount;
import io.seckill.stock.query.ProductBooks.ShardBooks;
import io.seckill.stock.sale.Allocation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The equations of one product in one shard: A1, A2, A3, A5, Q1, Q2. */
final class ShardCheck {

    private static final StockCount NOTHING = new StockCount(0, 0, 0, 0, 0, 0, 0);

    private final Allocation allocation;
    private final Books books;
    private final List<LiveOrder> live;
    private final StockCount stock;
    private final Map<String, Kept> held;
    private final Differences differences;

    ShardCheck(Allocation allocation, Books books, List<LiveOrder> live, Differences differences) {
        this.allocation = allocation;
        this.books = books;
        this.live = live;
        this.differences = differences.of("shard " + allocation.shard());
        stock = books.stock().orElse(NOTHING);
        held = held(books);
    }

    /** Of a shard that was given up only the ledger is left to be right. */
    static void ofRetired(Allocation allocation, List<LiveOrder> live, Differences differences) {
        Books none = new Books(Optional.empty(), Map.of(), Map.of(), 0);
        new ShardCheck(allocation, none, live, differences).checkLedger();
    }

    void check() {
        checkLoaded();
        checkCounters();
        checkReservations();
        checkLedger();
        checkBuyers();
        checkOrders();
    }

    ShardBooks books() {
        return new ShardBooks(
                allocation.shard(),
                allocation.allocated(),
                stock.available(),
                Facts.units(live),
                units(State.R),
                units(State.X));
    }

    /** Held here without a live order of this shard. */
    Set<String> withoutOrder() {
        Set<String> ids = new TreeSet<>(held.keySet());
        live.forEach(order -> ids.remove(order.reservationId()));
        return ids;
    }

    /** Live orders of this shard that hold nothing here. */
    Set<String> unexpected() {
        Set<String> unexpected = new TreeSet<>();
        live.forEach(order -> unexpected.add(order.reservationId()));
        unexpected.removeAll(held.keySet());
        return unexpected;
    }

    /** An allocation that is on its way to the shard may be on either side of the wire. */
    private boolean isLoaded() {
        return allocation.isLoaded() || books.stock().isPresent();
    }

    private void checkLoaded() {
        differences.unless(
                books.stock().isPresent() || !allocation.isLoaded(),
                "A1",
                "loaded with %d units, but the shard has no stock: it lost its data",
                allocation.allocated());
        differences.unless(
                !isLoaded() || stock.init() == allocation.allocated(),
                "A1",
                "init %d, allocated %d",
                stock.init(),
                allocation.allocated());
    }

    /** Every change of a counter is one script, so the counters must follow from each other. */
    private void checkCounters() {
        differences.unless(
                stock.init() - stock.deducted() + stock.returned() == stock.available(),
                "A1",
                "init %d - deducted %d + returned %d is not available %d",
                stock.init(),
                stock.deducted(),
                stock.returned(),
                stock.available());
        differences.unless(stock.available() >= 0, "A1", "available %d", stock.available());
    }

    /** What the counters say against what the reservations say. */
    private void checkReservations() {
        differences.unless(
                stock.deducted() - stock.returned() - stock.burned() == units(State.R),
                "A2",
                "deducted %d - returned %d - burned %d is not the %d units reserved",
                stock.deducted(),
                stock.returned(),
                stock.burned(),
                units(State.R));
        differences.unless(
                units(State.X) == stock.returned(),
                "A2",
                "returned %d, but %d units are marked so",
                stock.returned(),
                units(State.X));
        differences.unless(
                units(State.B) == stock.burned(),
                "A2",
                "burned %d, but %d units are marked so",
                stock.burned(),
                units(State.B));
    }

    /** The last guard against overselling must itself be right. */
    private void checkLedger() {
        differences.unless(
                allocation.sold() == Facts.units(live),
                "A3",
                "sold %d, live orders %d",
                allocation.sold(),
                Facts.units(live));
        differences.unless(
                allocation.sold() >= 0 && allocation.sold() <= allocation.allocated(),
                "A3",
                "sold %d of allocated %d",
                allocation.sold(),
                allocation.allocated());
    }

    /** A mark without a reservation locks a user out; the other way round lets one buy twice. */
    private void checkBuyers() {
        Map<String, String> holders = new HashMap<>();
        held.forEach((id, kept) -> holders.put(kept.userId(), id));
        Set<String> wrong = new TreeSet<>(books.buyers().keySet());
        wrong.addAll(holders.keySet());
        wrong.removeIf(user -> books.buyers().containsKey(user)
                && books.buyers().get(user).equals(holders.get(user)));
        differences.none(wrong, "A5", "buyers whose mark is not their reservation");
    }

    /** Per shard: a sum over all shards would hide a return to the wrong one. */
    private void checkOrders() {
        long units = Facts.units(live);
        differences.unless(
                !isLoaded() || stock.available() + units == allocation.allocated(),
                "Q1",
                "available %d + live orders %d is not allocated %d",
                stock.available(),
                units,
                allocation.allocated());
        differences.none(withoutOrder(), "Q2", "reservations without a live order");
        differences.none(unexpected(), "Q2", "orders unexpected: no reservation");
        differences.none(otherwise(), "Q2", "orders with another user or quantity than reserved");
    }

    /** Live orders that tell another user or quantity than their reservation. */
    private Set<String> otherwise() {
        return live.stream()
                .filter(order -> isOther(order, held.get(order.reservationId())))
                .map(LiveOrder::reservationId)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isOther(LiveOrder order, @Nullable Kept kept) {
        return kept != null
                && !(order.userId().equals(kept.userId()) && order.quantity() == kept.quantity());
    }

    private long units(State state) {
        return books.reservations().values().stream()
                .filter(kept -> kept.state() == state)
                .mapToLong(Kept::quantity)
                .sum();
    }

    /** Reservations in state R by id. */
    static Map<String, Kept> held(Books books) {
        return books.reservations().entrySet().stream()
                .filter(entry -> entry.getValue().state() == State.R)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
