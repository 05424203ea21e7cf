package io.seckill.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.seckill.order.planted.BuildsTheAdapter;
import io.seckill.order.planted.ReachesIntoStock;
import io.seckill.order.planted.SendsByRocketMq;
import io.seckill.quantity.planted.Units;
import io.seckill.shard.planted.CountsUnits;
import io.seckill.stock.planted.Inside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Services speak through contracts only; shared modules know nothing of the services. */
class ArchitectureTest {

    private static final List<String> SERVICES =
            List.of("flash-sale-service", "order-service", "stock-service");
    private static final List<String> SHARED = List.of(
            "contracts",
            "shard-store/client",
            "shard-store/quantity",
            "service-common",
            "message-rocketmq");

    private static final ArchRule SERVICES_DO_NOT_REACH_INTO_EACH_OTHER = slices().matching(
                    "io.seckill.(flashsale|order|stock)..")
            .should()
            .notDependOnEachOther();
    private static final ArchRule SHARED_CODE_KNOWS_NO_SERVICE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.seckill.contracts..",
                    "io.seckill.shard..",
                    "io.seckill.quantity..",
                    "io.seckill.common..",
                    "io.seckill.rocketmq..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.seckill.flashsale..", "io.seckill.order..", "io.seckill.stock..");
    private static final ArchRule SHARD_STORE_AND_CONTRACTS_ARE_PLAIN_JAVA = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.seckill.contracts..", "io.seckill.shard..", "io.seckill.quantity..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "io.seckill.common..");
    private static final ArchRule ONLY_THE_ADAPTER_KNOWS_ROCKETMQ = noClasses()
            .that()
            .resideOutsideOfPackage("io.seckill.rocketmq..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.rocketmq..", "io.seckill.rocketmq..");

    /** Another kind of stock can use the client of a shard as it is. */
    private static final ArchRule CLIENT_KNOWS_NO_QUANTITY = noClasses()
            .that()
            .resideInAPackage("io.seckill.shard..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.seckill.quantity..");

    private final JavaClasses project = classes();

    @Test
    void services_do_not_reach_into_each_other() {
        SERVICES_DO_NOT_REACH_INTO_EACH_OTHER.check(project);
    }

    @Test
    void shared_code_knows_no_service() {
        SHARED_CODE_KNOWS_NO_SERVICE.check(project);
    }

    @Test
    void shard_store_and_contracts_are_plain_java() {
        SHARD_STORE_AND_CONTRACTS_ARE_PLAIN_JAVA.check(project);
    }

    @Test
    void client_of_a_shard_knows_no_quantity() {
        CLIENT_KNOWS_NO_QUANTITY.check(project);
    }

    @Test
    void rule_about_the_client_is_able_to_fail() {
        JavaClasses planted = new ClassFileImporter().importClasses(CountsUnits.class, Units.class);

        assertThatThrownBy(() -> CLIENT_KNOWS_NO_QUANTITY.check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("CountsUnits");
    }

    @Test
    void only_the_adapter_knows_rocketmq() {
        ONLY_THE_ADAPTER_KNOWS_ROCKETMQ.check(project);
    }

    @Test
    void rule_of_rocketmq_is_able_to_fail() {
        JavaClasses planted = new ClassFileImporter()
                .importClasses(SendsByRocketMq.class, BuildsTheAdapter.class);

        assertThatThrownBy(() -> ONLY_THE_ADAPTER_KNOWS_ROCKETMQ.check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("SendsByRocketMq")
                .hasMessageContaining("BuildsTheAdapter");
    }

    @Test
    void rule_is_able_to_fail() {
        JavaClasses planted =
                new ClassFileImporter().importClasses(ReachesIntoStock.class, Inside.class);

        assertThatThrownBy(() -> SERVICES_DO_NOT_REACH_INTO_EACH_OTHER.check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ReachesIntoStock");
    }

    /** Every module must be there: a rule over classes that were never built would always hold. */
    private static JavaClasses classes() {
        List<Path> built = Stream.concat(SERVICES.stream(), SHARED.stream())
                .map(module -> Path.of("..", module, "target", "classes"))
                .toList();
        assertThat(built)
                .allSatisfy(path -> assertThat(Files.isDirectory(path))
                        .as("%s: mvn package first", path)
                        .isTrue());
        return new ClassFileImporter().importPaths(built);
    }
}
