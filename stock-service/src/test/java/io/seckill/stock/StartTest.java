package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.testkit.KeyFile;
import java.util.ArrayList;
import java.util.List;
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
        "seckill.token-keys, ''",
        "seckill.token-keys, /nowhere/token-keys",
        "seckill.crash-at, rebuild.done",
        "seckill.crash-at, rebuild.begun:0",
    })
    void bad_value_is_named(String key, String value) {
        SpringApplicationBuilder service = new SpringApplicationBuilder(StockApplication.class);
        List<String> settings = new ArrayList<>(List.of(
                "--" + key + "=" + value, "--server.port=0", "--spring.flyway.enabled=false"));
        if (!key.equals("seckill.token-keys")) {
            settings.add("--seckill.token-keys=" + KeyFile.of("k1 " + Stock.SECRET));
        }
        assertThatThrownBy(() -> service.run(settings.toArray(String[]::new)))
                .satisfies(e -> assertThat(chain(e).replace("tokenKeys", "token-keys"))
                        .contains(key)
                        .doesNotContain("hunter2"));
    }

    private static String chain(Throwable e) {
        return e == null ? "" : e + "\n" + chain(e.getCause());
    }
}
