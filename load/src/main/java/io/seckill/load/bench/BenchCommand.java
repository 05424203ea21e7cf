package io.seckill.load.bench;

import io.seckill.contracts.Json;
import io.seckill.load.Command;
import io.seckill.load.Progress;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * `bench [SCENARIO…] [--json] [--write] [--quick]`: runs scenarios one after the other, a table
 * each; 1 when something did not come out right.
 */
public final class BenchCommand implements Command {

    private static final int QUICK = 100; // a hundredth of every count

    /** In the order of docs/benchmarks.md. */
    private static final List<Scenario> ALL = List.of(
            new Refusals(),
            new Accepted(),
            new Landed(),
            new Backlog(),
            new OrderLatency(),
            new Headline(),
            new Cold(),
            new Growth(),
            new Memory(),
            new Idle());

    @Override
    public void check(List<String> words) {
        Wish.of(words, ALL);
    }

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        Path clone = RunningCopy.command().resolveSibling("").toAbsolutePath();
        return run(Wish.of(words, ALL), copy, clone);
    }

    /** What was measured is told also when a later scenario cannot be. */
    static int run(Wish wish, RunningCopy copy, Path clone) throws Exception {
        Machine machine = Machine.here(clone, Clock.systemUTC());
        Page page = new Page(clone.resolve("docs/benchmarks.md"), Wish.names(ALL));
        List<Result> results = new ArrayList<>();
        try {
            for (Scenario scenario : wish.scenarios()) {
                Result result = measured(scenario, wish, copy);
                results.add(result);
                if (!wish.json()) {
                    print(result);
                }
                if (wish.write() && result.isRight()) {
                    page.put(result, machine);
                }
            }
        } finally {
            if (wish.json()) {
                System.out.println(Json.write(json(wish, machine, results)));
            }
        }
        return results.stream().allMatch(Result::isRight) ? 0 : 1;
    }

    /** Each with limits of its own, so that none measures what another has raised. */
    private static Result measured(Scenario scenario, Wish wish, RunningCopy copy)
            throws Exception {
        try (LimitKeeper limits = new LimitKeeper(copy);
                Rig rig = new Rig(copy, wish.quick() ? QUICK : 1, limits)) {
            Progress.say(scenario.name());
            List<Row> rows = scenario.run(rig);
            return new Result(scenario.name(), scenario.about(), rows, limits.inForce());
        }
    }

    private static void print(Result result) {
        System.out.println(result.name() + ": " + result.about());
        System.out.print(Table.text(result));
        System.out.println("limits in force: " + result.limitsInForce() + "\n");
    }

    private static Map<String, Object> json(Wish wish, Machine machine, List<Result> results) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("commit", machine.commit());
        json.put("date", machine.date());
        json.put("cpu", machine.cpu());
        json.put("cores", machine.cores());
        json.put("quick", wish.quick());
        json.put("scenarios", results.stream().map(Result::json).toList());
        return json;
    }
}
