package io.seckill.load.copy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where the copy under load is: its folder and ports, from the environment that the command
 * sets.
 */
public record RunningCopy(
        Path home,
        int edgePort,
        int edgeInternalPort,
        int flashSalePort,
        int orderPort,
        int stockPort,
        String controlRedis,
        List<String> shards,
        String namesrv,
        String dbUrl,
        String dbUser,
        Path tokenKeys) {

    private static final Pattern PORT = Pattern.compile(":(\\d+)(?=/|$)");

    public static RunningCopy ofEnvironment() {
        return new RunningCopy(
                Path.of(value("SECKILL_HOME")),
                port("SECKILL_PORT"),
                port("SECKILL_EDGE_INTERNAL_PORT"),
                port("SECKILL_FLASH_SALE_PORT"),
                port("SECKILL_ORDER_PORT"),
                port("SECKILL_STOCK_PORT"),
                value("SECKILL_CONTROL_REDIS"),
                List.of(value("SECKILL_SHARDS").split(",")),
                value("SECKILL_NAMESRV"),
                value("SECKILL_DB_URL"),
                value("SECKILL_DB_USER"),
                Path.of(value("SECKILL_TOKEN_KEYS")));
    }

    /** The command itself, for what only it can do; it lies at the root of the clone. */
    public static Path command() {
        return Path.of(value("SECKILL_COMMAND"));
    }

    /** A copy with its ports so many higher, all of them, as each follows from the first. */
    public RunningCopy beside(Path otherHome, int higher) {
        return new RunningCopy(
                otherHome,
                edgePort + higher,
                edgeInternalPort + higher,
                flashSalePort + higher,
                orderPort + higher,
                stockPort + higher,
                withPort(controlRedis, higher),
                shards.stream().map(shard -> withPort(shard, higher)).toList(),
                withPort(namesrv, higher),
                withPort(dbUrl, higher),
                dbUser,
                otherHome.resolve(home.relativize(tokenKeys)));
    }

    private static String withPort(String address, int higher) {
        return PORT.matcher(address)
                .replaceFirst(found -> ":" + (Integer.parseInt(found.group(1)) + higher));
    }

    private static int port(String name) {
        return Integer.parseInt(value(name));
    }

    private static String value(String name) {
        return Optional.ofNullable(System.getenv(name))
                .orElseThrow(() -> new IllegalStateException(name + " is not set"));
    }
}
