package io.seckill.load.copy;

import io.seckill.load.AtCtrlC;
import io.seckill.load.Progress;

import java.io.IOException;
import java.net.ConnectException;
import java.security.SecureRandom;
import java.util.Map;

/**
 * A sale that a run makes for itself: nobody else knows its product, no list of buyers shows it,
 * and it is removed at the end, also at Ctrl-C. One that is left is named.
 *
 * <p>Creation and removal hold one lock. A Ctrl-C while stock-service is being asked for the sale
 * waits for the answer and then removes it; after that none can be created. So no moment leaves
 * one behind; what may: a stock-service that does not answer, or units that are on their way for
 * longer than a minute.
 */
public final class SyntheticSale implements AutoCloseable {

    private static final long REMOVE_LIMIT_MS = 60_000;
    private static final long PAUSE_MS = 200;
    private static final long LEAST_PRODUCT = 100_000_000_000_000_000L; // 18 digits
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SaleAdmin sales;
    private final String productId = newProduct();
    private final AtCtrlC atCtrlC = new AtCtrlC("remove-sale", this::interrupted);
    private boolean mayExist;
    private boolean isOver;

    public SyntheticSale(SaleAdmin sales) {
        this.sales = sales;
    }

    /** A product that nobody sells and nobody guesses. */
    public static String newProduct() {
        return Long.toString(LEAST_PRODUCT + RANDOM.nextLong(9 * LEAST_PRODUCT));
    }

    public String productId() {
        return productId;
    }

    /** Returns when the edge knows the sale. */
    public void create(long stock) throws IOException, InterruptedException {
        create(stock, Map.of());
    }

    /** More fields of the route's body, such as startAt. */
    public void create(long stock, Map<String, Object> more)
            throws IOException, InterruptedException {
        post(stock, more);
        sales.awaitEdge(productId, facts -> true);
    }

    private synchronized void post(long stock, Map<String, Object> more)
            throws IOException, InterruptedException {
        if (isOver) {
            throw new IllegalStateException("the sale of product " + productId + " is over");
        }
        try {
            mayExist = true;
            sales.createUnseen(productId, stock, more);
        } catch (IllegalStateException e) {
            mayExist = !(e.getCause() instanceof ConnectException);
            throw e;
        }
    }

    /**
     * Removes it if it was created, asking again while something of it is on its way. False, and
     * said, when it is left.
     */
    public synchronized boolean remove() {
        isOver = true;
        String why = "something of it is still on its way";
        try {
            long untilMs = System.currentTimeMillis() + REMOVE_LIMIT_MS;
            while (mayExist && System.currentTimeMillis() < untilMs) {
                mayExist = !sales.remove(productId);
                if (mayExist) {
                    Thread.sleep(PAUSE_MS);
                }
            }
        } catch (IOException | IllegalStateException e) {
            why = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (mayExist) {
            Progress.warn("the sale of product " + productId + " is left (" + why
                    + "); ./seckill sale remove " + productId + " removes it");
        }
        return !mayExist;
    }

    private synchronized void interrupted() {
        boolean was = mayExist;
        if (remove() && was) {
            Progress.warn("interrupted; the run's sale is removed");
        }
    }

    public synchronized boolean isLeft() {
        return mayExist;
    }

    /** It stays, and is its maker's. */
    public void keep() {
        atCtrlC.close();
    }

    @Override
    public void close() {
        remove();
        atCtrlC.close();
    }
}
