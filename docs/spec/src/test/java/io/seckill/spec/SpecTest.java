package io.seckill.spec;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.spec.Bounds.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** With all rules the books hold; with one left out they break. */
class SpecTest {

    private static final int WALKS = 6_000;
    private static final int STATES = 10_000;

    /** Of each rule the walk that breaks without it; `./seckill spec --without RULE` finds them. */
    private static final Map<Rule, Long> BREAKS_AT = Map.ofEntries(
            entry(Rule.GATE, 1L),
            entry(Rule.NEW_IDENTITY, 7L),
            entry(Rule.SOUND_IS_NEW_EPOCH, 33L),
            entry(Rule.KEPT_SEQ, 33L),
            entry(Rule.OPENINGS_LAST, 490L),
            entry(Rule.SEQ, 938L),
            entry(Rule.BUILDING, 80L),
            entry(Rule.STOCK_LAST, 59L),
            entry(Rule.OUTBOX_STAYS, 331L),
            entry(Rule.RECOVERING, 61L),
            entry(Rule.EPOCHS_DIFFER, 27L),
            entry(Rule.LOST_WAITS, 111L),
            entry(Rule.OLDER, 1L),
            entry(Rule.FINAL_EPOCH, 265L),
            entry(Rule.EPOCH_LAST, 265L),
            entry(Rule.PARKED_HAS_ROW, 18L),
            entry(Rule.REWRITE, 202L),
            entry(Rule.RESEND, 392L),
            entry(Rule.OWED, 104L),
            entry(Rule.LIVE_LAST, 4297L),
            entry(Rule.LIVE_IS_KEPT, 654L),
            entry(Rule.INIT_IS_ALLOCATED, 526L),
            entry(Rule.CHANGE_EPOCH, 45L),
            entry(Rule.RETIRE_AT_ONCE, 435L),
            entry(Rule.RETIRE_AGAIN, 571L),
            entry(Rule.RETIRED_ENDS, 101L));

    @Test
    void with_all_rules_no_walk_breaks_the_books() {
        Walks walks = new Walks(EnumSet.allOf(Rule.class));
        assertThat(walks.search(1, WALKS)).as("of %s", walks.counts).isEmpty();
        assertThat(walks.counts)
                .as("a walk without faults, losses and returns shows nothing")
                .hasEntrySatisfying("faults", n -> assertThat(n).isGreaterThan(WALKS))
                .containsKeys("opened as sound", "rebuilt", "rejected as lost", "losses found")
                .containsKeys("returns OLDER", "returns LOST", "returns RETIRED", "top-ups");
    }

    @Test
    void with_all_rules_no_short_history_of_a_tiny_sale_breaks_the_books() {
        Set<Fault> faults = EnumSet.of(Fault.LOSS, Fault.SPLIT);
        Breadth all = new Breadth(Bounds.tiny(EnumSet.allOf(Rule.class), 1, faults), STATES);
        assertThat(all.search()).isEmpty();
        assertThat(all.states()).isGreaterThanOrEqualTo(STATES);
    }

    /** The others are second nets: what they let through, one of these mends. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {
                "SAME_IDENTITY",
                "RETURNED",
                "ALREADY_DONE",
                "SINCE_REBUILT",
                "INIT",
                "OPEN_MINE",
                "FULL_IS_PROOF",
                "ANSWER_OF_NOW"
            })
    void without_a_rule_a_walk_breaks_the_books(Rule rule) {
        History walk = new Walks(EnumSet.complementOf(EnumSet.of(rule))).walk(seed(rule));
        assertThat(walk.broken()).as("seed %d", seed(rule)).isNotEmpty();
        History shortest = walk.shortened();
        assertThat(shortest.broken()).isNotEmpty();
        assertThat(shortest.steps()).hasSizeBetween(1, walk.steps().size());
        assertThat(shortest.told()).hasSize(shortest.steps().size() + 2);
    }

    @Test
    void breadth_first_finds_the_unit_that_a_shard_without_a_gate_sells_again() {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.of(Rule.GATE));
        Breadth all = new Breadth(Bounds.tiny(rules, 1, EnumSet.of(Fault.LOSS)), STATES);
        assertThat(all.search()).get().extracting(History::broken).asString().startsWith("A9");
    }

    @Test
    void a_seed_gives_the_same_walk_again() {
        Set<Rule> rules = EnumSet.allOf(Rule.class);
        List<Step> steps = new Walks(rules).walk(7).steps();
        assertThat(new Walks(rules).walk(7).steps()).isNotEmpty().isEqualTo(steps);
        assertThat(new Walks(rules).walk(8).steps()).isNotEqualTo(steps);
    }

    private static long seed(Rule rule) {
        return BREAKS_AT.getOrDefault(rule, 0L);
    }
}
