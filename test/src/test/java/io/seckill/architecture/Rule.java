package io.seckill.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * What may know what; each with planted classes that break it, so that none is a rule about
 * nothing.
 */
@SuppressWarnings("ImmutableEnumChecker") // ArchUnit does not say that its rules are
enum Rule {
    SERVICES_DO_NOT_REACH_INTO_EACH_OTHER(
            slices().matching("io.seckill.(flashsale|order|stock)..")
                    .should()
                    .notDependOnEachOther(),
            "order.planted.ReachesIntoStock"),
    SHARED_CODE_KNOWS_NO_SERVICE(
            noClasses()
                    .that()
                    .resideOutsideOfPackages(In.SERVICES)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(In.SERVICES),
            "common.planted.KnowsAService"),
    CONTRACTS_AND_SHARDS_NEED_NO_FRAMEWORK(
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "io.seckill.contracts..", "io.seckill.shard..", "io.seckill.quantity..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.springframework..", "io.seckill.common.."),
            "contracts.planted.NeedsSpring"),
    ONLY_THE_ADAPTER_KNOWS_ROCKETMQ(
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.seckill.rocketmq..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.apache.rocketmq..", "io.seckill.rocketmq.."),
            "order.planted.SendsByRocketMq",
            "order.planted.BuildsTheAdapter"),
    THE_CLIENT_OF_A_SHARD_KNOWS_NO_QUANTITY(
            noClasses()
                    .that()
                    .resideInAPackage("io.seckill.shard..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.seckill.quantity.."),
            "shard.planted.CountsUnits"),
    NO_ROOM_KNOWS_THE_ENTRY(
            noClasses()
                    .that()
                    .resideInAnyPackage(In.ROOMS)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.seckill.*.entry.."),
            "stock.query.planted.AsksTheEntry"),
    CONTROLLERS_HANDLERS_AND_FILTERS_ARE_THE_ENTRY(
            classes()
                    .that()
                    .resideInAnyPackage(In.SERVICES)
                    .and()
                    .haveNameMatching(".*(Controller|Handler|Filter)")
                    .should()
                    .resideInAPackage("io.seckill.*.entry.."),
            "stock.returns.planted.LostController"),
    FLASH_SALE_ANSWERS_A_REFUSAL_AND_NEVER_THROWS_IT(
            noClasses()
                    .that()
                    .resideInAPackage("io.seckill.flashsale..")
                    .should()
                    .dependOnClassesThat()
                    .haveSimpleName("RefusedException"),
            "flashsale.attempt.planted.ThrowsARefusal"),
    FLASH_SALE_AND_ITS_POLLS_KNOW_NO_DATABASE(
            noClasses()
                    .that()
                    .resideInAPackage("io.seckill.flashsale..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "java.sql..",
                            "javax.sql..",
                            "org.mariadb..",
                            "org.apache.ibatis..",
                            "org.springframework.jdbc.."),
            "flashsale.query.planted.AsksTheDatabase"),
    RELAYS_LIVE_IN_THE_RELAY_ROOM(
            classes()
                    .that()
                    .resideInAnyPackage(In.SERVICES)
                    .and()
                    .haveSimpleNameEndingWith("Relay")
                    .should()
                    .resideInAPackage("io.seckill.*.relay.."),
            "stock.returns.planted.LostRelay"),
    DECISIONS_ARE_FINAL(
            classes()
                    .that()
                    .resideInAnyPackage(In.SERVICES)
                    .and()
                    .haveSimpleNameEndingWith("Service")
                    .should()
                    .haveModifier(JavaModifier.FINAL),
            "stock.planted.OpenService");

    final ArchRule rule;
    final List<String> planted;

    Rule(ArchRule rule, String... planted) {
        this.rule = rule;
        this.planted = List.of(planted);
    }

    /** An enum's constants are made before its static fields. */
    private static final class In {
        private static final String[] SERVICES = {
            "io.seckill.flashsale..", "io.seckill.order..", "io.seckill.stock.."
        };

        /**
         * Beside the entry: the decision, what is sent on, what is only read, what only one has.
         */
        private static final String[] ROOMS = {
            "io.seckill.*.attempt..",
            "io.seckill.*.booking..",
            "io.seckill.*.returns..",
            "io.seckill.*.recovery..",
            "io.seckill.*.reconcile..",
            "io.seckill.*.relay..",
            "io.seckill.*.query..",
            "io.seckill.*.sale..",
            "io.seckill.*.payment..",
            "io.seckill.*.closing.."
        };
    }
}
