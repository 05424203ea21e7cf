package io.seckill.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What crosses a hop is named in contracts alone: keys, headers, topics and consumer groups. */
class AgreementTest {

    private static final Pattern NAME = Pattern.compile("\"(seckill:|X-Seckill-|"
            + "(flash_sale_success_inform|order_event|stock_return"
            + "|(flash-sale|order|stock)-service)\")");

    @Test
    void no_module_but_contracts_spells_a_name_that_crosses_a_hop() throws IOException {
        List<Path> sources = sources();
        assertThat(sources).hasSizeGreaterThan(50);
        for (Path source : sources) {
            assertThat(NAME.matcher(Files.readString(source)).results().map(m -> m.group()))
                    .as(source.toString())
                    .isEmpty();
        }
    }

    @Test
    void rule_is_able_to_fail() throws IOException {
        Path keys = Path.of("../contracts/src/main/java/io/seckill/contracts/RedisKeys.java");
        assertThat(NAME.matcher(Files.readString(keys)).find()).isTrue();
        for (String planted : List.of(
                "get(\"seckill:limits\")",
                "header(\"X-Seckill-User\", user)",
                "send(\"stock_return\")",
                "group(\"order-service\")")) {
            assertThat(NAME.matcher(planted).find()).as(planted).isTrue();
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.filter(file -> file.toString().matches(".*/src/main/java/.*[.]java"))
                    .filter(file -> !file.startsWith("../contracts"))
                    .toList();
        }
    }
}
