package io.seckill.spec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Every history of a small world, shortest first; states are told apart by 122 bits. */
final class Breadth {

    private final Bounds bounds;
    private final int statesMax;
    private final Set<UUID> seen = new HashSet<>();
    private final Deque<Node> queue = new ArrayDeque<>();
    private int depth;

    Breadth(Bounds bounds, int statesMax) {
        this.bounds = bounds;
        this.statesMax = statesMax;
    }

    /** How a state was reached; parent and step of the first are empty. */
    private record Path(Optional<Path> parent, Optional<Step> step, int length) {

        Path then(Step next) {
            return new Path(Optional.of(this), Optional.of(next), length + 1);
        }

        List<Step> steps() {
            List<Step> to = new ArrayList<>();
            for (Path at = this; at.step.isPresent(); at = at.parent.orElseThrow()) {
                to.add(at.step.get());
            }
            Collections.reverse(to);
            return to;
        }
    }

    private record Node(World world, Path path) {}

    /** The shortest history that breaks something. */
    Optional<History> search() {
        visit(new Node(World.of(bounds), new Path(Optional.empty(), Optional.empty(), 0)));
        while (!queue.isEmpty() && seen.size() < statesMax) {
            Node node = queue.remove();
            depth = node.path.length;
            for (Kind kind : Kind.values()) {
                for (Step step : kind.in(node.world)) {
                    World after = node.world.copy();
                    kind.action.run(after, step);
                    visit(new Node(after, node.path.then(step)));
                }
            }
            String broken = Invariants.always(node.world);
            if (!broken.isEmpty() || !History.brokenAtTheEnd(node.world).isEmpty()) {
                return Optional.of(History.replay(bounds, node.path.steps()).shortened());
            }
        }
        return Optional.empty();
    }

    private void visit(Node node) {
        byte[] key = node.world.key().getBytes(StandardCharsets.UTF_8);
        if (seen.add(UUID.nameUUIDFromBytes(key))) {
            queue.add(node);
        }
    }

    int states() {
        return seen.size();
    }

    int depth() {
        return depth;
    }

    /** Nothing was left out for want of room. */
    boolean isComplete() {
        return queue.isEmpty();
    }
}
