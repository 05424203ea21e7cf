package io.seckill.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** flash-sale-service refuses by an answer; only its entry may throw, for what is malformed. */
class RefusalChannelTest {

    private static final String SERVICE = "io.seckill.flashsale";

    private final JavaClasses service =
            new ClassFileImporter().importPath(Path.of("../flash-sale-service/target/classes"));

    @Test
    void rooms_behind_the_entry_throw_no_refusal() {
        throwNoRefusal("attempt", "relay", "query", "sale").check(service);
    }

    @Test
    void rule_is_able_to_fail() {
        assertThatThrownBy(() -> throwNoRefusal("entry").check(service))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("FlashSaleController");
    }

    private static ArchRule throwNoRefusal(String... rooms) {
        String[] packages = Arrays.stream(rooms)
                .map(room -> SERVICE + "." + room + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .dependOnClassesThat()
                .haveSimpleName("RefusedException");
    }
}
