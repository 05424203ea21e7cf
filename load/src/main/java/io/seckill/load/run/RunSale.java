package io.seckill.load.run;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Generator;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SyntheticSale;

import java.io.IOException;

/** The synthetic sale of a run, which is removed with it unless it is to be kept. */
final class RunSale implements AutoCloseable {

    private static final long STUCK_LIMIT_MS = 60_000;
    private static final long PAUSE_MS = 200;

    private final RunningCopy copy;
    private final SaleAdmin sales;
    private final Plan plan;
    private final SyntheticSale sale;

    private RunSale(RunningCopy copy, SaleAdmin sales, Plan plan) {
        this.copy = copy;
        this.sales = sales;
        this.plan = plan;
        sale = new SyntheticSale(sales);
    }

    /** Open, and known to the edge. */
    static RunSale open(RunningCopy copy, SaleAdmin sales, Plan plan)
            throws IOException, InterruptedException {
        RunSale made = new RunSale(copy, sales, plan);
        try {
            made.sale.create(plan.stock());
        } catch (IOException | InterruptedException | RuntimeException e) {
            made.sale.close();
            throw e;
        }
        return made;
    }

    String productId() {
        return sale.productId();
    }

    /** Twice as many buyers as units, until the edge tells everybody that it is sold out. */
    void sellOut(BuyerTokens tokens) throws IOException, InterruptedException {
        Progress.say("selling all " + plan.stock() + " units before the crowd comes");
        int count = Math.toIntExact(plan.stock() * 2);
        Buyers buyers =
                new Buyers(productId(), count, number -> tokens.buyer("first-" + number), 0);
        new Generator(copy.edgePort(), 16, 0, STUCK_LIMIT_MS).run(buyers);
        if (buyers.accepted() < plan.stock()) {
            throw new IllegalStateException("only " + buyers.accepted() + " of " + plan.stock()
                    + " units were sold within " + STUCK_LIMIT_MS / 1_000
                    + " s, before the crowd; a smaller --stock does");
        }
        sales.awaitEdge(productId(), facts -> facts.contains("\"soldOut\":true"));
    }

    Books settledBooks() throws IOException, InterruptedException {
        return settledBooks(sales, productId());
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
            Progress.say("the sale is kept; ./seckill sale remove " + productId() + " removes it");
            sale.keep();
        } else {
            sale.close();
        }
    }
}
