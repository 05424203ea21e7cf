package io.seckill.spec;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Random walks: each draws its world, its mood and its steps from one number, its seed. */
final class Walks {

    private static final int STEPS_MIN = 20;
    private static final int STEPS_MAX = 80;
    private static final double[] MOODS = {.2, 1, 1, 4};

    private final Set<Rule> rules;
    final Map<String, Integer> counts = new TreeMap<>();

    Walks(Set<Rule> rules) {
        this.rules = rules;
    }

    /** A walk that breaks something, and the seed it came from. */
    record Found(long seed, History history) {}

    /** The first of so many seeds from this one on that breaks something. */
    Optional<Found> search(long seed, int walks) {
        for (long i = seed; i < seed + walks; i++) {
            History history = walk(i);
            counts.merge("walks", 1, Integer::sum);
            counts.merge("steps", history.steps().size(), Integer::sum);
            history.counts().forEach((what, n) -> counts.merge(what, n, Integer::sum));
            if (!history.holds()) {
                return Optional.of(new Found(i, history));
            }
        }
        return Optional.empty();
    }

    History walk(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        Bounds bounds = Bounds.drawn(rules, random);
        Map<Kind, Double> weights = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            weights.put(kind, kind.weight * MOODS[random.nextInt(MOODS.length)]);
        }
        World w = World.of(bounds);
        List<Step> steps = new ArrayList<>();
        for (int left = random.nextInt(STEPS_MIN, STEPS_MAX); left > 0; left--) {
            Optional<Step> step = next(w, weights, random);
            if (step.isEmpty()) {
                break;
            }
            steps.add(step.get());
            step.get().kind().action.run(w, step.get());
            String broken = Invariants.always(w);
            if (!broken.isEmpty()) {
                return new History(bounds, steps, broken, w.counts);
            }
        }
        return new History(bounds, steps, History.brokenAtTheEnd(w), w.counts);
    }

    /** A kind by its weight, then one of its forms. */
    private static Optional<Step> next(World w, Map<Kind, Double> weights, RandomGenerator random) {
        List<List<Step>> possible = new ArrayList<>();
        double sum = 0;
        for (Kind kind : Kind.values()) {
            List<Step> forms = kind.in(w);
            if (!forms.isEmpty()) {
                possible.add(forms);
                sum += World.of(weights, kind);
            }
        }
        double at = random.nextDouble() * sum;
        for (List<Step> forms : possible) {
            at -= World.of(weights, forms.get(0).kind());
            if (at < 0) {
                return Optional.of(forms.get(random.nextInt(forms.size())));
            }
        }
        return Optional.empty();
    }
}
