package io.seckill.load.bench;

import io.seckill.load.Command;
import io.seckill.load.MisuseException;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** `bench [SCENARIO…] [--json] [--scale N]`: runs scenarios one after the other, prints a table each. */
public final class BenchCommand implements Command {

    private static final List<Scenario> ALL = List.of();

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        Map<Scenario, List<Row>> results = new LinkedHashMap<>();
        try (LimitKeeper limits = new LimitKeeper(copy)) {
            Rig rig = new Rig(copy, 1, limits);
            for (Scenario scenario : named(words)) {
                results.put(scenario, scenario.run(rig));
            }
        }
        results.forEach((scenario, rows) -> System.out.println(scenario.name() + " " + rows));
        return 0;
    }

    private static List<Scenario> named(List<String> words) {
        List<Scenario> wanted = new ArrayList<>();
        for (String word : words) {
            wanted.add(ALL.stream()
                    .filter(each -> each.name().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new MisuseException("unknown scenario '" + word + "'")));
        }
        return words.isEmpty() ? ALL : wanted;
    }
}
