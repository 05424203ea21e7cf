package io.seckill.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What crosses a hop is named in contracts, and in one file of each other language that must name
 * it too: keys, headers, topics and consumer groups. And what two settings must have alike.
 */
class AgreementTest {

    private static final Path ROOT = Path.of("..");
    private static final String CONTRACTS = "contracts/src/main/java/io/seckill/contracts/";
    private static final String LUA_KEYS = "lua/seckill/config/redis_keys.lua";
    private static final String BASH_KEYS = "cli/lib/redis.sh";
    private static final String EDGE_HEADERS = "nginx/nginx.conf.template";
    private static final String LUA_HEADERS = "lua/seckill/phases.lua";
    private static final String BROKER = "broker/broker.conf";
    private static final String TEST_BROKER =
            "testkit/src/main/java/io/seckill/testkit/RocketMqProcess.java";
    private static final String CONSUMER =
            "message-rocketmq/src/main/java/io/seckill/rocketmq/RocketMqConsumer.java";
    private static final List<String> MESSAGES = List.of(
            CONTRACTS + "Reservation.java",
            CONTRACTS + "OrderEvent.java",
            CONTRACTS + "StockReturn.java");

    private static final List<String> TOPICS =
            List.of(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC);
    private static final List<String> GROUPS =
            List.of(Reservation.GROUP, OrderEvent.GROUP, StockReturn.GROUP);

    private static final Pattern SOURCE = Pattern.compile(
            ".*[.](java|lua|sh|bats|awk|js|html|conf|template)|seckill|lua/test|nginx/render");
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*([*]|/[*]|//|--|#).*");

    /**
     * By hand: what an operator types, on purpose with no help of the code under test. A problem's
     * type is a URN and no key.
     */
    private static final Name KEY = new Name(
            Pattern.compile("(?<!//|urn:)seckill:[a-z{]"),
            List.of(CONTRACTS + "RedisKeys.java", LUA_KEYS, BASH_KEYS),
            Pattern.compile("lua/spec/\\w+_spec[.]lua|cli/test/\\w+[.]bats"));

    /** By hand: what a client forges or must not see, and the next hop that specs play. */
    private static final Name HEADER = new Name(
            Pattern.compile("(?i)X[-_]Seckill[-_][a-z]"),
            List.of(CONTRACTS + "EdgeHeaders.java", EDGE_HEADERS, LUA_HEADERS),
            Pattern.compile("lua/spec/(\\w+_spec|support/(upstream|refusal))[.]lua"));

    /** Unquoted it may be a table of the database; by hand nowhere. */
    private static final Name TOPIC = new Name(
            Pattern.compile("[\"'](" + String.join("|", TOPICS) + ")[\"']"),
            MESSAGES,
            Pattern.compile(""));

    /** By hand: modules are named like the groups. */
    private static final Name GROUP = new Name(
            Pattern.compile("\"(" + String.join("|", GROUPS) + ")\""),
            MESSAGES,
            Pattern.compile(".*/(StartIT|AroundTheService|ProcessHop|ArchitectureTest)[.]java"));

    private static final List<Name> NAMES = List.of(KEY, HEADER, TOPIC, GROUP);

    /** A kind of name, the files it belongs into, and those where it is written by hand. */
    private record Name(Pattern pattern, List<String> homes, Pattern byHand) {

        private boolean mayStandIn(String file) {
            return homes.contains(file) || byHand.matcher(file).matches();
        }
    }

    @Test
    void no_file_but_its_home_spells_a_name_that_crosses_a_hop() throws IOException {
        List<String> sources = sources();
        assertThat(sources)
                .hasSizeGreaterThan(300)
                .contains("seckill", "cli/limits.sh", "nginx/html/shop.js", LUA_KEYS);
        for (String source : sources) {
            assertThat(spelledOutside(source, read(source))).as(source).isEmpty();
        }
    }

    @Test
    void rule_is_able_to_fail() throws IOException {
        for (Name name : NAMES) {
            for (String home : name.homes) {
                assertThat(spelledOutside("elsewhere", read(home))).as(home).isNotEmpty();
            }
        }
        Map.of(
                        "stock-service/src/test/java/Planted.java",
                        "get(\"" + RedisKeys.LIMITS + "\")",
                        "shard-store/client/src/main/java/Planted.java",
                        "get(\"" + RedisKeys.stock("518") + "\")",
                        "service-common/src/main/java/Planted.java",
                        "header(\"" + EdgeHeaders.USER + "\", user)",
                        "order-service/src/main/java/Planted.java",
                        "group(\"" + Reservation.GROUP + "\")",
                        "lua/seckill/planted.lua",
                        "client:hget('" + RedisKeys.sale("518") + "')",
                        "lua/spec/support/planted.lua",
                        "ngx.var.http_" + variable(EdgeHeaders.USER),
                        "cli/planted.sh",
                        "control_redis DEL " + RedisKeys.SALES,
                        "cli/lib/planted.sh",
                        "send '" + StockReturn.TOPIC + "'",
                        "nginx/html/planted.js",
                        "headers.get(\"" + EdgeHeaders.CODE.toLowerCase(Locale.ROOT) + "\")")
                .forEach((file, text) -> {
                    assertThat(SOURCE.matcher(file).matches()).as(file).isTrue();
                    assertThat(spelledOutside(file, text)).as(file).isNotEmpty();
                });
    }

    @Test
    void keys_of_lua_and_bash_are_those_of_contracts() throws IOException {
        List<String> keys = List.of(
                RedisKeys.LIMITS,
                RedisKeys.LIMITS_KEPT,
                RedisKeys.productLimits(""),
                RedisKeys.SALES,
                RedisKeys.SALE_CHANGES,
                RedisKeys.sale(""),
                RedisKeys.quota(""),
                RedisKeys.lease(""),
                RedisKeys.BACKLOG,
                RedisKeys.EDGES);
        assertThat(found("seckill:[a-z:-]+", LUA_KEYS)).hasSameElementsAs(keys);
        assertThat(found("seckill:[a-z:]+", BASH_KEYS)).isNotEmpty().isSubsetOf(keys);
    }

    @Test
    void headers_of_the_edge_are_those_of_contracts() throws IOException {
        assertThat(found("X-Seckill-[A-Za-z-]+", EDGE_HEADERS))
                .containsExactlyInAnyOrder(
                        EdgeHeaders.USER,
                        EdgeHeaders.PRODUCT,
                        EdgeHeaders.QUANTITY,
                        EdgeHeaders.CODE,
                        EdgeHeaders.SOLD_OUT);
        assertThat(found("x_seckill_\\w+", LUA_HEADERS))
                .containsExactlyInAnyOrder(
                        variable(EdgeHeaders.CODE), variable(EdgeHeaders.SOLD_OUT));
    }

    @Test
    void broker_has_the_topics_and_groups_of_contracts_and_no_others() throws IOException {
        assertThat(found("(?<=\")[\\w-]+(?=\": [{]\"topicName\")", "broker/topics.json"))
                .containsExactlyInAnyOrderElementsOf(TOPICS);
        assertThat(found("(?<=\"topicName\": \")[^\"]+", "broker/topics.json"))
                .containsExactlyInAnyOrderElementsOf(TOPICS);
        assertThat(found("(?<=\")[\\w-]+(?=\": [{]\"groupName\")", "broker/groups.json"))
                .containsExactlyInAnyOrderElementsOf(GROUPS);
        assertThat(found("(?<=\"groupName\": \")[^\"]+", "broker/groups.json"))
                .containsExactlyInAnyOrderElementsOf(GROUPS);
    }

    /** A broker that hands out less makes small batches of a consumer's large ones, unnoticed. */
    @Test
    void broker_hands_out_whole_batches_here_and_in_tests() throws IOException {
        String count = "(?<=maxTransferCountOnMessageInMemory=)\\d+";
        String bytes = "(?<=maxTransferBytesOnMessageInMemory=)\\d+";
        String batch = only(found("(?<= MAX_BATCH = )\\d+", CONSUMER));
        assertThat(Integer.parseInt(only(found(count, BROKER))))
                .isGreaterThanOrEqualTo(Integer.parseInt(batch));
        for (String setting : List.of(count, bytes)) {
            assertThat(found(setting, TEST_BROKER))
                    .as(setting)
                    .containsExactly(only(found(setting, BROKER)));
        }
    }

    private static String only(List<String> found) {
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** What a file spells that has its home elsewhere; what comments tell is for people. */
    private static List<String> spelledOutside(String file, String text) {
        String code = COMMENT.matcher(text).replaceAll("");
        return NAMES.stream()
                .filter(name -> !name.mayStandIn(file))
                .flatMap(name -> name.pattern.matcher(code).results())
                .map(MatchResult::group)
                .toList();
    }

    private static List<String> found(String pattern, String file) throws IOException {
        String code = COMMENT.matcher(read(file)).replaceAll("");
        return Pattern.compile(pattern)
                .matcher(code)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    /** As nginx names the variable of a header. */
    private static String variable(String header) {
        return header.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    /** All sources of the repository: its own code and its tests, not what a build made. */
    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.map(file -> ROOT.relativize(file).toString())
                    .filter(file -> SOURCE.matcher(file).matches())
                    .filter(file -> !file.startsWith(".") && !file.contains("target/"))
                    .filter(file -> Files.isRegularFile(ROOT.resolve(file)))
                    .toList();
        }
    }
}
