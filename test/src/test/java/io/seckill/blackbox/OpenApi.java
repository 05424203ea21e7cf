package io.seckill.blackbox;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import io.seckill.contracts.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The public API as it is written down, and what an answer has that is not. */
final class OpenApi {

    private static final String AT = "https://shop.example/openapi.json";
    private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");

    private final String text;
    private final JsonNode document;
    private final SchemaRegistry schemas;

    OpenApi(Path file) {
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        document = new YAMLMapper().readTree(text);
        schemas = SchemaRegistry.withDialect(
                Dialects.getDraft202012(),
                builder -> builder.schemas(Map.of(AT, document.toString())));
    }

    /** A method of an address, and one status that it may answer. */
    record Case(String method, String path, int status) {

        @Override
        public String toString() {
            return method + " " + path + " " + status;
        }
    }

    String text() {
        return text;
    }

    Set<String> paths() {
        return Set.copyOf(document.get("paths").propertyNames());
    }

    List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        document.get("paths")
                .forEachEntry((path, item) -> item.forEachEntry((method, operation) -> {
                    if (METHODS.contains(method)) {
                        operation
                                .get("responses")
                                .propertyNames()
                                .forEach(status -> cases.add(new Case(
                                        method.toUpperCase(Locale.ROOT),
                                        path,
                                        Integer.parseInt(status))));
                    }
                }));
        return cases;
    }

    boolean has(String method, String path) {
        return operation(method, path).isPresent();
    }

    boolean needsToken(String method, String path) {
        JsonNode security = operation(method, path).orElseThrow().get("security");
        return security == null || !security.isEmpty();
    }

    /** What of the answer is not as it is written down. */
    List<String> faults(String method, String path, HttpResponse<String> answer) {
        String at = "/paths/" + escaped(path) + "/" + method.toLowerCase(Locale.ROOT)
                + "/responses/" + answer.statusCode();
        if (document.at(at).isMissingNode()) {
            return List.of("status " + answer.statusCode());
        }
        String response = resolved(at);
        List<String> faults = new ArrayList<>(headerFaults(response, answer));
        String type =
                answer.headers().firstValue("Content-Type").orElse("none").replaceFirst(";.*", "");
        String content = response + "/content/" + escaped(type) + "/schema";
        if (document.at(content).isMissingNode()) {
            faults.add("Content-Type " + type);
        } else if (type.endsWith("json")) {
            faults.addAll(errors(content, answer.body()));
            faults.addAll(retryFaults(answer));
        }
        return faults;
    }

    private List<String> headerFaults(String response, HttpResponse<String> answer) {
        List<String> faults = new ArrayList<>();
        document.at(response + "/headers").propertyNames().forEach(name -> {
            String header = resolved(response + "/headers/" + escaped(name));
            Optional<String> value = answer.headers().firstValue(name);
            if (value.isPresent()) {
                errors(header + "/schema", Json.write(value.get()))
                        .forEach(error -> faults.add(name + error));
            } else if (document.at(header).path("required").asBoolean(false)) {
                faults.add(name + " is missing");
            }
        });
        return faults;
    }

    /** The wait of the body and that of the header go together. */
    private List<String> retryFaults(HttpResponse<String> answer) {
        long waitMs = answer.statusCode() < 400
                ? 0
                : ((Number) Json.read(answer.body(), Map.class).get("retryAfterMs")).longValue();
        String told = answer.headers().firstValue("Retry-After").orElse("0");
        return told.equals(Long.toString((waitMs + 999) / 1000))
                ? List.of()
                : List.of("Retry-After " + told + " of " + waitMs + " ms");
    }

    private List<String> errors(String pointer, String json) {
        Schema schema = schemas.getSchema(SchemaLocation.of(AT + "#" + pointer));
        return schema.validate(json, InputFormat.JSON).stream()
                .map(error -> error.getInstanceLocation() + " " + error.getMessage())
                .toList();
    }

    /** Where what stands there is written, when it stands elsewhere. */
    private String resolved(String pointer) {
        JsonNode there = document.at(pointer).get("$ref");
        return there == null ? pointer : there.asString().substring(1);
    }

    private Optional<JsonNode> operation(String method, String path) {
        return Optional.ofNullable(
                document.get("paths").get(path).get(method.toLowerCase(Locale.ROOT)));
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
