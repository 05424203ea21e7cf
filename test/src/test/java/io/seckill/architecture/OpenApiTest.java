package io.seckill.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.Refusal;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Lints the public API's document, and holds it against the tables it repeats. */
class OpenApiTest {

    private static final Pattern REFERENCE =
            Pattern.compile("\\$ref\"?: *['\"](#/components/[A-Za-z/-]+)['\"]");
    private static final List<String> FIELDS = List.of("operationId", "summary", "tags");

    /** Told to operators and the payment gateway, and where no operation is. */
    private static final Set<Refusal> OF_OTHERS = EnumSet.of(
            Refusal.SALE_CONFLICT,
            Refusal.NOT_SYNTHETIC,
            Refusal.PAYMENT_CONFLICT,
            Refusal.METHOD_NOT_ALLOWED);

    private final String text = Files.readString(Path.of("../contracts/openapi.yaml"));
    private final JsonNode document = new YAMLMapper().readTree(text);

    OpenApiTest() throws IOException {}

    @Test
    void document_is_openapi() {
        assertThat(faults(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "title: Flash sale, heading: Flash sale",
        "operationId: listOrders, operationId: listSales",
        "      responses:, '      replies:'",
        "#/components/responses/NotPayable, #/components/responses/Nothing",
        "{productId}:, {product}:",
        "in: query, in: body",
    })
    void rule_is_able_to_fail(String right, String wrong) {
        assertThat(text).contains(right);
        assertThat(faults(text.replaceFirst(Pattern.quote(right), wrong))).isNotEmpty();
    }

    private static List<String> faults(String written) {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        return new OpenAPIV3Parser().readContents(written, null, options).getMessages();
    }

    @Test
    void operation_says_what_it_is_called_and_for() {
        document.get("paths")
                .forEachEntry((path, item) -> item.forEachEntry((method, operation) -> {
                    if (!method.equals("parameters")) {
                        assertThat(operation.propertyNames())
                                .as(method + " " + path)
                                .containsAll(FIELDS);
                    }
                }));
    }

    @Test
    void every_component_is_used_and_is_there() {
        Set<String> used = new TreeSet<>();
        Matcher references = REFERENCE.matcher(text);
        while (references.find()) {
            used.add(references.group(1));
        }
        Set<String> there = new TreeSet<>();
        document.get("components").forEachEntry((kind, named) -> {
            if (!kind.equals("securitySchemes")) {
                named.propertyNames()
                        .forEach(name -> there.add("#/components/" + kind + "/" + name));
            }
        });
        assertThat(used).isEqualTo(there);
    }

    @Test
    void refusals_are_those_of_the_table_with_their_status() {
        Map<String, Integer> told = new TreeMap<>();
        document.at("/components/schemas").forEach(schema -> {
            JsonNode codes = schema.at("/properties/code/enum");
            JsonNode status = schema.at("/properties/status/const");
            if (status.isNumber()) {
                codes.forEach(code -> told.put(code.asString(), status.asInt()));
            }
        });
        Map<String, Integer> table = new TreeMap<>();
        EnumSet.complementOf(EnumSet.copyOf(OF_OTHERS))
                .forEach(refusal -> table.put(refusal.name(), refusal.status()));
        assertThat(told).isEqualTo(table);
    }

    @Test
    void bounds_are_those_of_the_table() {
        assertThat(document.at("/components/parameters/quantity/schema/maximum").asInt())
                .isEqualTo(Bounds.QUANTITY_UNITS);
        JsonNode limit = document.at("/paths/~1seckill~1orders/get/parameters/0/schema");
        assertThat(limit.get("maximum").asInt()).isEqualTo(Bounds.PAGE_ORDERS);
        assertThat(limit.get("default").asInt()).isEqualTo(Bounds.PAGE_ORDERS);
        assertThat(document.at("/components/schemas/Orders/properties/orders/maxItems")
                        .asInt())
                .isEqualTo(Bounds.PAGE_ORDERS);
    }
}
