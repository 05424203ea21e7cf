package io.seckill.shard;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Whether a Redis may keep units, by what it says of itself (INFO).
 *
 * <p>One that evicts sells a unit twice and loses who holds it; one without its append-only file
 * forgets all at each restart; one before 7.0 knows no script with flags. What it does not say
 * counts as wrong.
 */
final class Fitness {

    private static final int OLDEST = 7;
    private static final Pattern FIELD = Pattern.compile("(\\w+):(.*)");

    private Fitness() {}

    /** What is wrong, as the operator sets it; empty: nothing. */
    static Optional<String> fault(String info) {
        Map<String, String> says = info.lines()
                .map(FIELD::matcher)
                .filter(field -> field.matches())
                .collect(Collectors.toMap(
                        field -> field.group(1), field -> field.group(2), (first, more) -> first));
        Function<String, String> said = field -> says.getOrDefault(field, "?");
        String version = said.apply("redis_version");
        if (!version.matches("\\d{1,4}\\..*")
                || Integer.parseInt(version.split("\\.", 2)[0]) < OLDEST) {
            return Optional.of("its version is " + version + ", must be 7.0 or later");
        }
        String policy = said.apply("maxmemory_policy");
        if (!policy.equals("noeviction")) {
            return Optional.of("its maxmemory-policy is " + policy + ", must be noeviction");
        }
        return said.apply("aof_enabled").equals("1")
                ? Optional.empty()
                : Optional.of("its appendonly is off, must be on");
    }
}
