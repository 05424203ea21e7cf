package io.seckill.contracts;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One shard's place in a sale: which shard, which life of the product's units in it, and whether it
 * may be asked.
 *
 * <p>A sale is a list of them, the order of its ring. Between hops the list is one text, {@code
 * SHARD:EPOCH:STATE} separated by single spaces, so that a sale's hash changes as a whole.
 *
 * @param epoch raised by each opening of the shard for this product; the first is 1
 */
public record Placement(int shard, int epoch, State state) {

    /** Bound of a ring: a refused attempt may ask every shard of it. */
    public static final int MAX = 64;

    private static final Pattern TEXT =
            Pattern.compile("(0|[1-9][0-9]{0,8}):([1-9][0-9]{0,8}):(OPEN|RECOVERING|RETIRED)");

    /** RECOVERING counts as down, RETIRED is passed over as empty. */
    public enum State {
        OPEN,
        RECOVERING,
        RETIRED
    }

    public Placement {
        check(shard, epoch);
        Check.that(state != null, "state", state);
    }

    /** The bounds of a shard's number and of an epoch, wherever they cross a hop. */
    static void check(int shard, int epoch) {
        Check.that(shard >= 0 && shard < 1_000_000_000, "shard", shard);
        Check.that(epoch > 0 && epoch < 1_000_000_000, "epoch", epoch);
    }

    /** The ring of a text; throws IllegalArgumentException when it is not one. */
    public static List<Placement> parse(String text) {
        Check.that(text != null, "placements", text);
        return ring(
                Arrays.stream(text.split(" ", -1)).map(one -> one(one, text)).toList());
    }

    /** The text of a ring; throws IllegalArgumentException when it is not one. */
    public static String text(List<Placement> placements) {
        return ring(placements).stream()
                .map(p -> p.shard + ":" + p.epoch + ":" + p.state)
                .collect(Collectors.joining(" "));
    }

    private static Placement one(String one, String text) {
        Matcher found = TEXT.matcher(one);
        Check.that(found.matches(), "placements", text);
        return new Placement(
                Integer.parseInt(found.group(1)),
                Integer.parseInt(found.group(2)),
                State.valueOf(found.group(3)));
    }

    /** As it is, if it has 1 to {@link #MAX} places and no shard twice. */
    private static List<Placement> ring(List<Placement> placements) {
        Set<Integer> shards = new HashSet<>();
        boolean isRing = !placements.isEmpty()
                && placements.size() <= MAX
                && placements.stream().allMatch(p -> shards.add(p.shard));
        Check.that(isRing, "placements", placements);
        return placements;
    }
}
