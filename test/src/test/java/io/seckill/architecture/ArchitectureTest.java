package io.seckill.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules hold for all that is built, and each is able to fail. */
class ArchitectureTest {

    private static final List<String> MODULES = List.of(
            "contracts",
            "shard-store/client",
            "shard-store/quantity",
            "service-common",
            "message-rocketmq",
            "flash-sale-service",
            "order-service",
            "stock-service");
    static final JavaClasses PROJECT = project();
    private static final JavaClasses PLANTED = new ClassFileImporter()
            .withImportOption(location -> location.contains("/planted/"))
            .importPath(Path.of("target", "test-classes"));

    @ParameterizedTest
    @EnumSource
    void rule_holds(Rule rule) {
        rule.rule.check(PROJECT);
    }

    @ParameterizedTest
    @EnumSource
    void rule_fails_for_each_class_planted_to_break_it(Rule rule) {
        for (String culprit : rule.planted) {
            assertThat(PLANTED.contain("io.seckill." + culprit)).as(culprit).isTrue();
            assertThatThrownBy(() -> rule.rule.check(PLANTED))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(culprit);
        }
    }

    /** Every module must be there: a rule over classes that were never built would always hold. */
    private static JavaClasses project() {
        List<Path> built = MODULES.stream()
                .map(module -> Path.of("..", module, "target", "classes"))
                .toList();
        assertThat(built)
                .allSatisfy(path -> assertThat(Files.isDirectory(path))
                        .as("%s: mvn package first", path)
                        .isTrue());
        return new ClassFileImporter().importPaths(built);
    }
}
