package io.seckill.spec;

import java.util.List;
import java.util.function.Consumer;

/** Every step there is: how often a walk takes it, when it can happen, what it does. */
@SuppressWarnings("ImmutableEnumChecker") // method references have no state
enum Kind {
    SEND(3, Buying::sends, Buying::send),
    ASK(8, Buying::asks, Buying::ask),
    GIVE_UP(.3, Buying::gaveUp, Buying::giveUp),
    RELAY(6, Buying::relays, Buying::relay),
    RELAY_READ(1, Buying::reads, Buying::read),
    RELAY_WAKE(1, Buying::wakes, Buying::wake),

    READ_EARLY(4, Ordering::early, Ordering::readEarly),
    DELIVER(8, Ordering::deliveries, Ordering::deliver),
    CLOSE(3, Ordering::closings, Ordering::close),

    GIVE_BACK(4, Returning::messages, Returning::giveBack),
    ASK_AGAIN(2, Returning::rows, Returning::askAgain),

    SCAN(1.2, Reconciling::scans, Reconciling::scan),
    LOOK(.25, Reconciling::looks, Reconciling::look),
    OWE(.5, Reconciling::owed, Reconciling::owe),
    FINISH_JOB(4, Jobs::all, Jobs::run),
    FORGET_JOB(.4, Jobs::forgotten, Jobs::forget),

    RECOVER(5, Recovering::starts, Recovering::start),
    RECOVER_ON(12, Recovering::running, Recovering::step),
    RECOVER_CRASH(.6, Recovering::crashes, Recovering::crash),

    TOP_UP(.4, Changing::topUps, Changing::topUp),
    APPLY(2, Changing::waiting, Changing::apply),
    RETIRE(.2, Changing::retirable, Changing::retire),
    RETIRE_AGAIN(.5, Changing::retired, Changing::retireAgain),

    RESTART(.5, Faults::restarts, Faults::restart),
    EMPTY(.06, Faults::any, Faults::empty),
    FLUSH(.12, Faults::any, Faults::flush),
    PROMOTE(.4, Faults::promotions, Faults::promote),
    OLD_DIES(.4, Faults::splits, Faults::oldDies),
    FAIL_BACK(2, Faults::failBacks, Faults::failBack),
    REWIND(.15, Faults::rewinds, Faults::rewind),
    DELETE_BY_HAND(.3, Faults::held, Faults::deleteByHand),
    DROP(.3, Faults::drops, Faults::drop);

    /** What a step does. */
    @FunctionalInterface
    interface Action {
        void run(World w, Step step);
    }

    final double weight;
    final Action action;
    private final Consumer<Choices> choices;

    Kind(double weight, Consumer<Choices> choices, Action action) {
        this.weight = weight;
        this.choices = choices;
        this.action = action;
    }

    /** Its steps that can happen now. */
    List<Step> in(World w) {
        Choices to = new Choices(w, this);
        choices.accept(to);
        return to.steps;
    }
}
