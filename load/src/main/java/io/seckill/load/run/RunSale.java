package io.seckill.load.run;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Generator;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SaleAdmin.Books;

import java.io.IOException;
import java.security.SecureRandom;

/**
 * The synthetic sale of a run: nobody else knows its product, and it is removed at the end, also
 * when the run is ended by Ctrl-C. One that is kept or cannot be removed is named.
 */
final class RunSale implements AutoCloseable {

    private static final long STUCK_LIMIT_MS = 60_000;
    private static final long REMOVE_LIMIT_MS = 60_000;
    private static final long PAUSE_MS = 200;
    private static final long FIRST_ID = 100_000_000_000_000_000L; // 18 digits

    private final RunningCopy copy;
    private final SaleAdmin sales;
    private final Plan plan;
    private final String productId =
            Long.toString(FIRST_ID + new SecureRandom().nextLong(9 * FIRST_ID));
    private final Thread interrupted = new Thread(this::interrupted, "remove-sale");

    private RunSale(RunningCopy copy, SaleAdmin sales, Plan plan) {
        this.copy = copy;
        this.sales = sales;
        this.plan = plan;
    }

    /** Open, and known to the edge. */
    static RunSale open(RunningCopy copy, SaleAdmin sales, Plan plan)
            throws IOException, InterruptedException {
        RunSale sale = new RunSale(copy, sales, plan);
        Runtime.getRuntime().addShutdownHook(sale.interrupted);
        try {
            sales.create(sale.productId, plan.stock());
        } catch (IOException | InterruptedException | RuntimeException e) {
            sale.forget();
            throw e;
        }
        return sale;
    }

    /** A sale that nobody was told of; why it did not come to be is what its maker hears. */
    private void forget() {
        Runtime.getRuntime().removeShutdownHook(interrupted);
        try {
            sales.remove(productId);
        } catch (IOException | IllegalStateException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String productId() {
        return productId;
    }

    /** Twice as many buyers as units, until the edge tells everybody that it is sold out. */
    void sellOut(BuyerTokens tokens) throws IOException, InterruptedException {
        int buyers = (int) Math.min(Integer.MAX_VALUE, plan.stock() * 2);
        new Generator(copy.edgePort(), 16, 0, STUCK_LIMIT_MS)
                .run(new Buyers(productId, buyers, number -> tokens.buyer("first-" + number), 0));
        sales.awaitEdge(productId, facts -> facts.contains("\"soldOut\":true"));
    }

    Books settledBooks() throws IOException, InterruptedException {
        return settledBooks(sales, productId);
    }

    /**
     * The books once they balance or nothing is on its way any more; or as they are when a minute
     * has brought no order.
     */
    static Books settledBooks(SaleAdmin sales, String productId)
            throws IOException, InterruptedException {
        long landed = -1;
        long untilMs = 0;
        while (true) {
            Books books = sales.books(productId);
            if (books.product().liveOrders() != landed) {
                landed = books.product().liveOrders();
                untilMs = System.currentTimeMillis() + STUCK_LIMIT_MS;
            }
            if (books.balanced() || books.isQuiet() || System.currentTimeMillis() > untilMs) {
                return books;
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    @Override
    public void close() {
        if (plan.keep()) {
            Progress.say("the sale is kept; ./seckill sale remove " + productId + " removes it");
        } else {
            remove();
        }
        Runtime.getRuntime().removeShutdownHook(interrupted);
    }

    private void interrupted() {
        if (remove()) {
            System.err.println("seckill: interrupted; the sale of the run is removed");
        }
    }

    /** What is on its way must have landed first: asked again while it is BUSY. */
    private boolean remove() {
        long untilMs = System.currentTimeMillis() + REMOVE_LIMIT_MS;
        String why = "something of it is still on its way";
        try {
            while (System.currentTimeMillis() < untilMs) {
                if (sales.remove(productId)) {
                    return true;
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (IOException | IllegalStateException e) {
            why = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.err.println("seckill: the sale of product " + productId + " is left (" + why
                + "); ./seckill sale remove " + productId + " removes it");
        return false;
    }
}
