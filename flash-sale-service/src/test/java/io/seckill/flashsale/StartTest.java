package io.seckill.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.Placement;
import io.seckill.testkit.KeyFile;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Bad configuration stops the service at start and names the key. */
class StartTest {

    @ParameterizedTest
    @CsvSource({
        "seckill.shards, 127.0.0.1:8090",
        "seckill.shards, redis://127.0.0.1",
        "seckill.shards, ''",
        "seckill.control-redis, 127.0.0.1:8084",
        "seckill.control-redis, redis://u:hunter2@127.0.0.1",
        "seckill.namesrv, :1",
        "seckill.token-keys, /nowhere/token-keys",
        "seckill.reservation-keys, /nowhere/reservation-keys",
        "seckill.spool-dir, /proc/spool",
        "seckill.spool-keep, 0s",
        "seckill.spool-canary, 0s",
        "seckill.crash-at, spool.nowhere",
        "seckill.warm-up, 61s",
        "seckill.warm-up, -1s",
    })
    void bad_value_is_named(String key, String value) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        String keys = KeyFile.of("k1 " + "s".repeat(32)).toString();
        settings.put("seckill.token-keys", keys);
        settings.put("seckill.reservation-keys", keys);
        settings.put(key, value);
        String[] words = settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
        SpringApplicationBuilder service = new SpringApplicationBuilder(FlashSaleApplication.class);
        assertThatThrownBy(() -> service.run(words))
                .satisfies(e -> assertThat(chain(e)).contains(key).doesNotContain("hunter2"));
    }

    @Test
    void more_shards_than_a_sale_may_have_places_are_named() {
        List<String> many = Collections.nCopies(Placement.MAX + 1, "redis://127.0.0.1:8090");
        bad_value_is_named("seckill.shards", String.join(",", many));
    }

    private static String chain(Throwable e) {
        return e == null ? "" : e + "\n" + chain(e.getCause());
    }
}
