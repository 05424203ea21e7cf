package io.seckill.load.faults;

import io.seckill.load.faults.Shop.Answer;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * A user who asks until there is a final word, and what he was told; SOLD_OUT is final for a second
 * only, for a unit may come back.
 *
 * <p>Its own thread runs it until it holds a unit or is interrupted; any thread reads {@link
 * #told}. Where orders are to be closed it pays for what it holds, but some leave their first order
 * unpaid, wait to be told that it is cancelled, and ask again.
 */
final class Buyer implements Runnable {

    private static final long POLL_MS = 250;
    private static final long AGAIN_MS = 1_000;
    private static final int PAY_TRIES = 20;
    private static final int UNTOLD_POLLS = 12; // some 3 s
    private static final Set<String> PROMISES = Set.of("ACCEPTED", "PENDING");
    private static final Set<String> HAS_A_RESULT = Set.of("ACCEPTED", "PENDING", "ALREADY_BOUGHT");

    private final String user;
    private final Shop shop;
    private final long arrivesMs;
    private final Habits habits;
    private boolean leaves;

    private State state = State.ASKING;
    private String word = "";
    private String orderSn = "";
    private String wrong = "";
    private String reservationId = "";
    private boolean isPromised;
    private int untoldPolls;
    private final Set<String> rejected = new HashSet<>();
    private final Set<String> forgotten = new HashSet<>();
    private int accepted;
    private int cancelled;
    private int tooLate;
    private long payByMs;

    Buyer(String user, Shop shop, long arrivesMs, Habits habits, boolean leaves) {
        this.user = user;
        this.shop = shop;
        this.arrivesMs = arrivesMs;
        this.habits = habits;
        this.leaves = leaves;
    }

    /** WAITING was promised a unit, LEAVING has an order and will not pay, HOLDING is content. */
    enum State {
        ASKING,
        WAITING,
        LEAVING,
        HOLDING
    }

    /**
     * What one user was told so far.
     *
     * @param word the latest word
     * @param orderSn of the latest order; empty: never one
     * @param accepted how often
     * @param cancelled how often
     * @param tooLate payments that were refused, its order was closed
     * @param rejected reservations of which it was told so
     * @param forgotten reservations that it was promised, and for seconds the shop knew nothing
     * @param wrong a word that must not come after the one before; empty: none did
     */
    record Told(
            String user,
            State state,
            String word,
            String orderSn,
            int accepted,
            int cancelled,
            int tooLate,
            Set<String> rejected,
            Set<String> forgotten,
            String wrong) {}

    synchronized Told told() {
        return new Told(
                user,
                state,
                word,
                orderSn,
                accepted,
                cancelled,
                tooLate,
                Set.copyOf(rejected),
                Set.copyOf(forgotten),
                wrong);
    }

    private synchronized void note(State next, String heard) {
        state = next;
        word = heard;
        accepted += heard.equals("ACCEPTED") ? 1 : 0;
        cancelled += heard.equals("CANCELLED") ? 1 : 0;
    }

    private synchronized void noteOrder(State next, String heard, String sn) {
        note(next, heard);
        orderSn = sn;
    }

    private synchronized void noteRejected() {
        rejected.add(reservationId);
        noteNoOrder(State.ASKING, "REJECTED");
    }

    private synchronized void noteWrong(String what) {
        wrong = what;
    }

    @Override
    public void run() {
        try {
            Thread.sleep(arrivesMs);
            while (state != State.HOLDING) {
                if (state == State.ASKING) {
                    asked(shop.attempt());
                } else {
                    polled(shop.result());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the round is over
        } catch (RuntimeException e) {
            noteWrong(e.toString());
        }
    }

    private void asked(Answer answer) throws InterruptedException {
        if (HAS_A_RESULT.contains(answer.word())) {
            reservationId = answer.text("reservationId");
            isPromised = PROMISES.contains(answer.word());
            untoldPolls = 0;
            note(State.WAITING, answer.word());
        } else {
            note(State.ASKING, answer.word());
            Thread.sleep(answer.retryAfterMs() > 0 ? answer.retryAfterMs() : AGAIN_MS);
        }
    }

    private void polled(Answer answer) throws InterruptedException {
        switch (answer.word()) {
            case "ORDERED" -> ordered(answer.text("orderSn"), answer.text("payBy"));
            case "CANCELLED" -> note(State.ASKING, "CANCELLED");
            case "REJECTED" -> noteRejected();
            case "SOLD_OUT", "NONE" -> noteNothing(answer.word());
            case "PENDING" -> noteNoOrder(State.WAITING, "PENDING");
            default -> note(state, answer.word());
        }
        // More often than a PENDING says, to see whether a word goes back.
        boolean isPending = answer.word().equals("PENDING");
        Thread.sleep(isPending ? POLL_MS : Math.max(answer.retryAfterMs(), POLL_MS));
    }

    /** A word may be late by some seconds. */
    private synchronized void noteNothing(String heard) {
        if (state == State.WAITING && isPromised) {
            if (++untoldPolls < UNTOLD_POLLS) {
                return;
            }
            forgotten.add(reservationId);
        }
        noteNoOrder(State.ASKING, heard);
    }

    private void noteNoOrder(State next, String heard) {
        if (state == State.LEAVING) {
            noteWrong(orderSn + " was ORDERED, then " + heard);
        }
        note(next, heard);
    }

    private void ordered(String sn, String payBy) throws InterruptedException {
        if (rejected.contains(reservationId)) {
            noteWrong(reservationId + " was REJECTED, then ORDERED");
        }
        if (state == State.LEAVING) {
            if (!sn.equals(orderSn)) {
                noteWrong("has the orders " + orderSn + " and " + sn);
            } else if (habits.paysLate() && System.currentTimeMillis() > payByMs - POLL_MS / 2) {
                payLate(sn);
            }
        } else if (leaves) {
            leaves = false;
            payByMs = Instant.parse(payBy).toEpochMilli();
            noteOrder(State.LEAVING, "ORDERED", sn);
        } else if (!habits.pays()) {
            noteOrder(State.HOLDING, "ORDERED", sn);
        } else if (shop.pay(sn).word().equals("PAID")) {
            noteOrder(State.HOLDING, "PAID", sn);
        }
    }

    /** Again and again until it is paid or closed: nobody knows which it will be. */
    private void payLate(String sn) throws InterruptedException {
        for (int n = 0; n < PAY_TRIES; n++) {
            String answered = shop.pay(sn).word();
            if (answered.equals("PAID")) {
                noteOrder(State.HOLDING, "PAID", sn);
                return;
            }
            if (answered.equals("ORDER_NOT_PAYABLE")) {
                noteTooLate();
                return;
            }
        }
    }

    private synchronized void noteTooLate() {
        tooLate++;
    }
}
