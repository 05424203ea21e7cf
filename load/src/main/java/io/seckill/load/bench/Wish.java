package io.seckill.load.bench;

import io.seckill.load.MisuseException;

import java.util.ArrayList;
import java.util.List;

/** The words of {@code bench}: which scenarios, and what becomes of their results. */
record Wish(List<Scenario> scenarios, boolean json, boolean write, boolean quick) {

    /** Without a scenario: all. */
    static Wish of(List<String> words, List<Scenario> all) {
        List<Scenario> wanted = new ArrayList<>();
        for (String word : words) {
            if (!word.startsWith("-")) {
                wanted.add(named(word, all));
            } else if (!List.of("--json", "--write", "--quick").contains(word)) {
                throw new MisuseException(
                        "unknown word '" + word + "'; there are --json --write --quick");
            }
        }
        Wish wish = new Wish(
                wanted.isEmpty() ? all : wanted,
                words.contains("--json"),
                words.contains("--write"),
                words.contains("--quick"));
        if (wish.quick() && wish.write()) {
            throw new MisuseException("--quick measures too little to --write");
        }
        return wish;
    }

    private static Scenario named(String name, List<Scenario> all) {
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new MisuseException("unknown scenario '" + name + "'; there are "
                        + String.join(" ", names(all))));
    }

    static List<String> names(List<Scenario> scenarios) {
        return scenarios.stream().map(Scenario::name).toList();
    }
}
