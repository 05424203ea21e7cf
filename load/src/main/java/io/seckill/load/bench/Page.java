package io.seckill.load.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * docs/benchmarks.md: a fixed head, then a section per scenario in their order. Only the section of
 * a scenario that was run is written anew; one of a scenario that no longer is goes.
 */
final class Page {

    private static final String SECTION = "## ";

    private final Path file;
    private final List<String> scenarios;

    Page(Path file, List<String> scenarios) {
        this.file = file;
        this.scenarios = scenarios;
    }

    void put(Result result, Machine machine) throws IOException {
        String old = Files.exists(file) ? Files.readString(file) : "";
        Files.writeString(file, with(old, result, machine));
    }

    String with(String old, Result result, Machine machine) {
        Map<String, String> sections = sections(old);
        sections.put(result.name(), section(result, machine));
        StringBuilder page = new StringBuilder(head());
        for (String scenario : scenarios) {
            page.append(sections.getOrDefault(scenario, ""));
        }
        return page.toString();
    }

    /** The sections by name, each with its heading and the blank line before it. */
    private static Map<String, String> sections(String page) {
        Map<String, String> sections = new HashMap<>();
        for (String part : page.split("\n(?=" + SECTION + ")")) {
            if (part.startsWith(SECTION)) {
                String name =
                        part.substring(SECTION.length()).lines().findFirst().orElse("");
                sections.put(name, "\n" + part.stripTrailing() + "\n");
            }
        }
        return sections;
    }

    private static String section(Result result, Machine machine) {
        return "\n" + SECTION + result.name() + "\n" + result.about() + "\n\n`./seckill bench "
                + result.name() + " --write`; " + machine + "  \nLimits in force: "
                + result.limitsInForce() + "\n\n" + Table.markdown(result);
    }

    private static String head() {
        try (InputStream in = Page.class.getResourceAsStream("/bench/head.md")) {
            if (in == null) {
                throw new IllegalStateException("bench/head.md is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("bench/head.md cannot be read", e);
        }
    }
}
