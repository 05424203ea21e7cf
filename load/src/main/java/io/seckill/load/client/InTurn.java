package io.seckill.load.client;

import java.util.List;

/**
 * Several crowds of the same size as one: the first of each, then the second of each, and so on.
 */
public final class InTurn implements Traffic {

    private final List<? extends Traffic> crowds;

    public InTurn(List<? extends Traffic> crowds) {
        this.crowds = crowds;
    }

    @Override
    public int size() {
        return crowds.get(0).size() * crowds.size();
    }

    @Override
    public byte[] request(int number) {
        return crowd(number).request(number / crowds.size());
    }

    @Override
    public long againAfterMs(Answer answer) {
        return crowd(answer.number())
                .againAfterMs(new Answer(
                        answer.number() / crowds.size(),
                        answer.httpStatus(),
                        answer.word(),
                        answer.retryAfterMs(),
                        answer.latencyNs()));
    }

    @Override
    public long againAfterLossMs(int number) {
        return crowd(number).againAfterLossMs(number / crowds.size());
    }

    private Traffic crowd(int number) {
        return crowds.get(number % crowds.size());
    }
}
