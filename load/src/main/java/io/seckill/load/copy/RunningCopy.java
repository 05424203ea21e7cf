package io.seckill.load.copy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the copy under load is: its folder and ports, from the environment that the command sets. */
public record RunningCopy(
        Path home,
        int edgePort,
        int edgeInternalPort,
        int flashSalePort,
        int stockPort,
        String controlRedis,
        List<String> shards,
        String namesrv,
        String dbUrl,
        String dbUser,
        Path tokenKeys) {

    public static RunningCopy ofEnvironment() {
        return new RunningCopy(
                Path.of(value("SECKILL_HOME")),
                port("SECKILL_PORT"),
                port("SECKILL_EDGE_INTERNAL_PORT"),
                port("SECKILL_FLASH_SALE_PORT"),
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

    private static int port(String name) {
        return Integer.parseInt(value(name));
    }

    private static String value(String name) {
        return Optional.ofNullable(System.getenv(name))
                .orElseThrow(() -> new IllegalStateException(name + " is not set"));
    }
}
