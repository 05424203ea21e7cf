package io.seckill.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** The files of examples/KIND; an empty folder fails the test that loops over it. */
record Examples(String kind) {

    private static final JsonMapper JSON = new JsonMapper();

    List<Path> valid() {
        return files("valid");
    }

    List<Path> invalid() {
        return files("invalid");
    }

    private List<Path> files(String folder) {
        try (Stream<Path> files = Files.list(Path.of("examples", kind, folder))) {
            List<Path> found = files.filter(file -> !file.toString().endsWith(".error"))
                    .sorted()
                    .toList();
            assertThat(found).as(kind + "/" + folder).isNotEmpty();
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(Path file) {
        return new String(bytes(file), StandardCharsets.UTF_8);
    }

    static Map<?, ?> json(Path file) {
        return JSON.readValue(bytes(file), Map.class);
    }

    static String write(Object value) {
        return JSON.writeValueAsString(value);
    }

    /** The wrong field: what stands before the first hyphen of an invalid example's name. */
    static String field(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.indexOf('-'));
    }
}
